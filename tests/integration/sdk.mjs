// The official TypeScript SDK's clients against `cordon serve`: list, call, two at once, cancel, progress, bad parameters, 5 MiB, gone in mid-call.
// sdk.mjs v1|v2 legacy|modern CORDON|URL FILES_FOLDER MARK, with CORDON_NPM and, for a URL, CORDON_TOKEN in the environment.
// Prints a line a check; exit status 0 only when all held. MARK is the argument of a process in the container of the call that is left.
import { createRequire } from 'node:module';
import path from 'node:path';

const [generation, era, target, folder, mark] = process.argv.slice(2);
const load = createRequire(path.join(process.env.CORDON_NPM, 'anything.js'));
const v1 = generation === 'v1', http = target.startsWith('http');
const sdk = v1
  ? { ...load('@modelcontextprotocol/sdk/client/index.js'), ...load('@modelcontextprotocol/sdk/client/stdio.js'), ...load('@modelcontextprotocol/sdk/client/streamableHttp.js') }
  : { ...load('@modelcontextprotocol/client'), ...load('@modelcontextprotocol/client/stdio') };

let failed = 0;
const check = (what, held, seen) => {
  console.log((held ? 'ok   ' : 'FAIL ') + what + (held ? '' : ': ' + (seen instanceof Error ? seen.stack : JSON.stringify(seen))?.slice(0, 2000)));
  if (!held) failed++;
};
const failure = async (promise) => { try { await promise; } catch (error) { return error; } };

async function open() {
  const transport = http
    ? new sdk.StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: `Bearer ${process.env.CORDON_TOKEN}` } } })
    : new sdk.StdioClientTransport({ command: target, args: ['serve'], env: process.env, stderr: 'inherit' });
  const client = new sdk.Client({ name: 'sdk', version: '1' }, era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
  client.onerror = () => {}; // a stream that is cut, for one
  await client.connect(transport);
  const call = (params, more) => v1 ? client.callTool(params, undefined, more) : client.callTool(params, more);
  const run = (args, more) => call({ name: 'run_python', arguments: args }, { timeout: 170_000, ...more });
  return { client, transport, call, run };
}
const text = (result) => result.content.filter((block) => block.type === 'text').map((block) => block.text).join('');

const { client, transport, call, run } = await open();
const { tools } = await client.listTools();
check('one tool', tools.length === 1 && tools[0].name === 'run_python', tools);
check('instructions', client.getInstructions().includes('search_tool_docs'), client.getInstructions());
const { resources } = await client.listResources();
const manual = await client.readResource({ uri: resources[0].uri });
check('the manual', manual.contents[0].text.includes('mcp_'), manual);
if (era === 'legacy') check('a ping', (await failure(client.ping())) === undefined);

const two = await run({
  code: `
files = await mcp_filesystem.list_directory(path=${JSON.stringify(folder)})
await mcp_memory.create_entities(entities=[{"name": "n", "entityType": "t", "observations": [str(files)]}])
print((await mcp_memory.read_graph())["entities"][0]["observations"])`,
});
check('two upstream servers in one program', text(two).includes('a.txt') && !two.isError, two);

const [a, b] = await Promise.all([run({ code: 'import time; time.sleep(0.5); print("a")' }), run({ code: 'print("b")' })]);
check('two calls at once', text(a) === 'a\n' && text(b) === 'b\n', [a, b]);

const large = await run({ code: `x = "${'y'.repeat(5 << 20)}"\nprint(len(x))` });
check('5 MiB of code', text(large) === `${5 << 20}\n`, large.content);

const bad = await run({ code: 7 });
check('bad parameters are a result that says so', bad.isError && text(bad).includes('code:'), bad);
const unknown = await failure(call({ name: 'no_such_tool', arguments: {} }));
check('an unknown tool is an error', unknown?.code === -32602, unknown);

const seen = [];
await run({ code: 'import time\nfrom mcp import runtime\nfor i in range(3):\n    runtime.progress(i + 1, 3, "step")\n    time.sleep(0.2)' },
  { onprogress: (progress) => seen.push(progress.progress) });
check('progress rises', seen.length >= 3 && seen.every((value, i) => i === 0 || value > seen[i - 1]), seen);

// code that tells when it runs, and whose container can be known by a process in it
const long = (argument) => ({ code: `import subprocess\np = subprocess.Popen(["sleep", "${argument}"])\nruntime.progress(1, 2)\np.wait()`, timeout: 115 });
const stop = new AbortController();
const cancelled = await failure(run(long(mark + '1'), { signal: stop.signal, onprogress: () => stop.abort('enough') }));
check('a cancelled call ends at once', cancelled !== undefined, cancelled);
check('and the next one works', text(await run({ code: 'print("next")' })) === 'next\n');

const other = await open();
const lost = failure(new Promise((begun, fail) => other.run(long(mark + '2'), { onprogress: begun }).catch(fail)));
check('a call runs when its client goes', await lost === undefined, await lost);
if (http && era === 'legacy') await other.transport.terminateSession(); // a connection that breaks has not cancelled
await other.client.close();
check('and others are not disturbed', text(await run({ code: 'print("still")' })) === 'still\n');

const pid = transport.pid;
await client.close();
const gone = () => { try { return http || !process.kill(pid, 0); } catch { return true; } };
for (let i = 0; i < 600 && !gone(); i++) await new Promise((done) => setTimeout(done, 50));
check('it ends when the client closes', gone());
process.exit(failed ? 1 : 0);
