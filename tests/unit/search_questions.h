#pragma once
#include <string_view>

/// What somebody who looks for a tool might type, and the tool that should come first. Written from the tool
/// lists in tests/fakes/tools, as names half remembered, tasks, other words for the same thing, and typing
/// errors.
struct SearchQuestion {
    std::string_view text;
    std::string_view server;
    std::string_view tool;
};

inline constexpr SearchQuestion search_questions[] = {
    // names, whole, in parts, in another order or spelling
    {"read_text_file", "filesystem", "read_text_file"},
    {"readTextFile", "filesystem", "read_text_file"},
    {"directory tree", "filesystem", "directory_tree"},
    {"tree directory", "filesystem", "directory_tree"},
    {"git status", "git", "git_status"},
    {"cherry pick", "git", "git_cherry_pick"},
    {"cherrypick a commit", "git", "git_cherry_pick"},
    {"get-tiny-image", "everything", "get-tiny-image"},
    {"API-post-search", "notion", "API-post-search"},
    {"createEntities", "memory", "create_entities"},
    {"reflog", "git", "git_reflog"},
    {"worktrees", "git", "git_worktree"},

    // tasks
    {"add two numbers", "everything", "get-sum"},
    {"compress a file with gzip", "everything", "gzip-file-as-resource"},
    {"list environment variables", "everything", "get-env"},
    {"echo a message back", "everything", "echo"},
    {"long running operation with progress", "everything", "trigger-long-running-operation"},
    {"turn simulated logging on", "everything", "toggle-simulated-logging"},
    {"read several files at once", "filesystem", "read_multiple_files"},
    {"read an image file as base64", "filesystem", "read_media_file"},
    {"rename a file", "filesystem", "move_file"},
    {"make a new folder", "filesystem", "create_directory"},
    {"find files by glob pattern", "filesystem", "search_files"},
    {"size and modification time of a file", "filesystem", "get_file_info"},
    {"which directories may I access", "filesystem", "list_allowed_directories"},
    {"list files with their sizes", "filesystem", "list_directory_with_sizes"},
    {"overwrite a file with new content", "filesystem", "write_file"},
    {"replace lines in a text file", "filesystem", "edit_file"},
    {"who last changed each line of a file", "git", "git_blame"},
    {"show commit history of an author", "git", "git_log"},
    {"switch to another branch", "git", "git_checkout"},
    {"create a tag", "git", "git_tag"},
    {"download a repository from a url", "git", "git_clone"},
    {"stage files for the next commit", "git", "git_add"},
    {"remove untracked files", "git", "git_clean"},
    {"put changes aside for later stash", "git", "git_stash"},
    {"differences between two commits", "git", "git_diff"},
    {"upload commits to the remote", "git", "git_push"},
    {"combine two branches", "git", "git_merge"},
    {"reapply commits on top of another base", "git", "git_rebase"},
    {"undo commits and unstage files", "git", "git_reset"},
    {"write a changelog", "git", "git_changelog_analyze"},
    {"set the working directory for git", "git", "git_set_working_dir"},
    {"add observations to an entity", "memory", "add_observations"},
    {"read the whole knowledge graph", "memory", "read_graph"},
    {"connect two entities with a relation", "memory", "create_relations"},
    {"remove entities from the graph", "memory", "delete_entities"},
    {"search the knowledge graph", "memory", "search_nodes"},
    {"create a page in notion", "notion", "API-post-page"},
    {"delete a block", "notion", "API-delete-a-block"},
    {"comment on a page", "notion", "API-create-a-comment"},
    {"query a data source with a filter", "notion", "API-query-data-source"},
    {"page as markdown", "notion", "API-retrieve-page-markdown"},
    {"list notion users", "notion", "API-get-users"},
    {"move a page to another parent", "notion", "API-move-page"},
    {"append children to a block", "notion", "API-patch-block-children"},
    {"search notion pages by title", "notion", "API-post-search"},

    // one typing error a word
    {"serach files", "filesystem", "search_files"},
    {"directroy tree", "filesystem", "directory_tree"},
    {"knowlege graf read", "memory", "read_graph"},
    {"git stauts", "git", "git_status"},
    {"delte relations", "memory", "delete_relations"},
    {"environmnt variables", "everything", "get-env"},
    {"creat a coment", "notion", "API-create-a-comment"},
    {"alowed directories", "filesystem", "list_allowed_directories"},
};
