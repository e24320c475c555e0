// The official TypeScript SDK (v1) as the client of `cordon serve`: list, call, two at once, cancel, progress, bad parameters, 5 MiB.
// sdk_v1.mjs CORDON FILES_FOLDER: prints a line a check; exit status 0 only when all held.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
const require = createRequire(pathToFileURL(process.env.CORDON_NPM + '/x.js'));
const load = async (name) => import(pathToFileURL(require.resolve('@modelcontextprotocol/sdk/' + name)).href);
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');

const [cordon, folder] = process.argv.slice(2);
let failed = 0;
const check = (what, held, seen) => {
  console.log((held ? 'ok   ' : 'FAIL ') + what + (held ? '' : ': ' + JSON.stringify(seen)?.slice(0, 2000)));
  if (!held) failed++;
};

const transport = new StdioClientTransport({ command: cordon, args: ['serve'], env: process.env, stderr: 'inherit' });
const client = new Client({ name: 'sdk-v1', version: '1' });
await client.connect(transport);
const run = (args, options) => client.callTool({ name: 'run_python', arguments: args }, undefined, { timeout: 120000, ...options });
const text = (result) => result.content.filter((block) => block.type === 'text').map((block) => block.text).join('');

const { tools } = await client.listTools();
check('one tool', tools.length === 1 && tools[0].name === 'run_python', tools);
check('instructions', client.getInstructions().includes('search_tool_docs'), client.getInstructions());
const { resources } = await client.listResources();
const manual = await client.readResource({ uri: resources[0].uri });
check('the manual', manual.contents[0].text.includes('mcp_'), manual);
await client.ping();

const plain = await run({ code: 'print(6 * 7)' });
check('a call', text(plain) === '42\n' && !plain.isError, plain);

const two = await run({
  code: `
files = await mcp_filesystem.list_directory(path=${JSON.stringify(folder)})
await mcp_memory.create_entities(entities=[{"name": "n", "entityType": "t", "observations": [str(files)]}])
print((await mcp_memory.read_graph())["entities"][0]["observations"])`,
});
check('two upstream servers in one program', text(two).includes('a.txt'), two);

const [a, b] = await Promise.all([run({ code: 'import time; time.sleep(0.5); print("a")' }), run({ code: 'print("b")' })]);
check('two calls at once', text(a) === 'a\n' && text(b) === 'b\n', [a, b]);

const large = await run({ code: `x = "${'y'.repeat(5 << 20)}"\nprint(len(x))` });
check('5 MiB of code', text(large) === `${5 << 20}\n`, large.content);

const bad = await run({ code: 7 });
check('bad parameters are a result that says so', bad.isError && text(bad).includes('code:'), bad);
let unknown;
try { await client.callTool({ name: 'no_such_tool', arguments: {} }); } catch (error) { unknown = error; }
check('an unknown tool is an error', unknown?.code === -32602, unknown);

const stop = new AbortController();
setTimeout(() => stop.abort('enough'), 1500);
let cancelled;
try { await run({ code: 'import time; time.sleep(60)', timeout: 90 }, { signal: stop.signal }); } catch (error) { cancelled = error; }
check('a cancelled call ends at once', cancelled !== undefined, cancelled);
check('and the next one works', text(await run({ code: 'print("next")' })) === 'next\n');

const seen = [];
await run({ code: 'import time\nfrom mcp import runtime\nfor i in range(3):\n    runtime.progress(i + 1, 3, "step")\n    time.sleep(1.1)' },
  { onprogress: (progress) => seen.push(progress.progress) });
check('progress rises', seen.length >= 3 && seen.every((value, i) => i === 0 || value > seen[i - 1]), seen);

const pid = transport.pid;
const began = Date.now();
await client.close();
let gone = false;
try { process.kill(pid, 0); } catch { gone = true; }
check('it ends when the client closes', gone, Date.now() - began);
process.exit(failed ? 1 : 0);
