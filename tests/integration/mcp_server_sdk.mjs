// mcp_server_sdk.mjs FIXTURE: the official TypeScript SDK's clients, v1 and v2, against the fixture server, over stdio and HTTP, in the
// legacy and the modern era. Run by test_mcp_server.py under Node 22, with CORDON_NPM naming node_modules.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';

const load = createRequire(path.join(process.env.CORDON_NPM, 'anything.js'));
const v1 = {
    ...load('@modelcontextprotocol/sdk/client/index.js'),
    ...load('@modelcontextprotocol/sdk/client/stdio.js'),
    ...load('@modelcontextprotocol/sdk/client/streamableHttp.js'),
};
const v2 = { ...load('@modelcontextprotocol/client'), ...load('@modelcontextprotocol/client/stdio') };
const fixture = process.env.CORDON_FIXTURE;
const token = 'a-token-for-tests';

async function startHttp() {
    const server = spawn(fixture, ['--port', '0', '--token', token], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(server.stdout, 'data');
    return { url: new URL(`http://127.0.0.1:${parseInt(line)}/mcp`), stop: async () => { server.kill('SIGTERM'); return once(server, 'exit'); } };
}

// Each kind of conversation, as a function that opens one and gives { client, close }.
const info = { name: 'cordon-tests', version: '1' };
const headers = { Authorization: `Bearer ${token}` };
const kinds = [];
for (const [sdk, name] of [[v1, 'SDK v1'], [v2, 'SDK v2']]) {
    const eras = sdk === v1 ? [['legacy', {}]] : [['legacy', {}], ['modern', { versionNegotiation: { mode: { pin: '2026-07-28' } } }]];
    for (const [era, options] of eras) {
        const call = (client, params, more) => sdk === v1 ? client.callTool(params, undefined, more) : client.callTool(params, more);
        const open = async (transport) => {
            const client = new sdk.Client(info, options);
            client.onerror = () => {}; // a stream that is cut, for one
            await client.connect(transport);
            return { client, call: (tool, args, more) => call(client, { name: tool, arguments: args }, more) };
        };
        kinds.push({ title: `${name}, ${era}, stdio`, sdk, era, http: false,
            open: () => open(new sdk.StdioClientTransport({ command: fixture, args: ['--stdio'], stderr: 'ignore' })) });
        kinds.push({ title: `${name}, ${era}, HTTP`, sdk, era, http: true,
            open: (url) => open(new sdk.StreamableHTTPClientTransport(url, { requestInit: { headers } })) });
    }
}

const text = (result) => result.content[0].text;
async function until(condition) { // polls: what it waits for is another process's doing
    for (let i = 0; i < 500; i++) {
        if (await condition()) return;
        await new Promise((done) => setTimeout(done, 20));
    }
    assert.fail('it did not come to be');
}

for (const kind of kinds) {
    test(kind.title, async (t) => {
        const server = kind.http ? await startHttp() : undefined;
        const { client, call } = await kind.open(server?.url);
        const cancelled = async () => Number(text(await call('cancelled', {})));

        await t.test('lists tools and resources, reads one', async () => {
            const { tools } = await client.listTools();
            assert.ok(tools.some((tool) => tool.name === 'echo'));
            const { resources } = await client.listResources();
            assert.equal(resources.length, 3);
            const { contents } = await client.readResource({ uri: 'test://static-text' });
            assert.match(contents[0].text, /static text/);
            assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
        });
        await t.test('calls a tool', async () => assert.equal(text(await call('echo', { text: 'h\u00e9\u2028\n' })), 'h\u00e9\u2028\n'));
        await t.test('takes an argument of 5 MiB and gives it back', async () => {
            const long = 'x'.repeat(5 << 20);
            assert.equal(text(await call('echo', { text: long })).length, long.length);
        });
        await t.test('a result above 8 MiB is an error, and the next call works', async () => {
            await assert.rejects(call('big', { bytes: 9 << 20 }), /more than the 8388608/);
            assert.equal(text(await call('big', { bytes: 3 })), 'xxx');
        });
        await t.test('an unknown tool and a missing resource are errors with their codes', async () => {
            await assert.rejects(call('none', {}), (e) => e.code === -32602);
            const code = kind.sdk === v1 ? -32002 : -32602; // v2 knows but the newer code, and takes the older for it
            await assert.rejects(client.readResource({ uri: 'test://none' }), (e) => e.code === code || assert.fail(`code ${e.code}`));
        });
        await t.test('bad parameters are errors that say which', async () => {
            await assert.rejects(call(7, {}), (e) => e.code === -32602 && /"name" must be a string/.test(e.message));
            await assert.rejects(client.readResource({ uri: 7 }), (e) => e.code === -32602 && /"uri" must be a string/.test(e.message));
        });
        await t.test('reports progress, rising', async () => {
            const seen = [];
            await call('test_tool_with_progress', {}, { onprogress: (p) => seen.push(p.progress) });
            assert.equal(seen.length, 3);
            assert.ok(seen[0] < seen[1] && seen[1] < seen[2]);
        });
        await t.test('runs two calls at once', async () => {
            const order = [];
            await Promise.all([call('wait', { ms: 300 }).then(() => order.push('slow')), call('echo', { text: '' }).then(() => order.push('quick'))]);
            assert.deepEqual(order, ['quick', 'slow']);
        });
        await t.test('a cancelled call is cancelled on the server', async () => {
            const before = await cancelled();
            const abort = new AbortController();
            const call_ended = call('wait', { ms: 60000 }, { signal: abort.signal, onprogress: () => abort.abort() });
            await assert.rejects(call_ended);
            await until(async () => (await cancelled()) === before + 1);
        });
        await t.test('many calls at once', async () => {
            const all = await Promise.all(Array.from({ length: 50 }, (_, i) => call('echo', { text: `${i}` })));
            assert.deepEqual(all.map(text), Array.from({ length: 50 }, (_, i) => `${i}`));
        });
        if (kind.era === 'legacy') await t.test('answers a ping', async () => client.ping());
        if (kind.http) await t.test('what a client that disappears was doing: a legacy call goes on, a modern one ends', async () => {
            const other = await kind.open(server.url);
            const before = await cancelled();
            const lost = new Promise((begun) => other.call('wait', { ms: 1500 }, { onprogress: begun }).catch(() => {}));
            await lost;
            await other.client.close(); // drops its connections, without a word
            if (kind.era === 'modern') return until(async () => (await cancelled()) === before + 1);
            await call('wait', { ms: 1600 });
            assert.equal(await cancelled(), before);
        });
        if (!kind.http) await t.test('a client that goes in mid-call takes its server with it', async () => {
            const other = await kind.open();
            const { pid } = other.client.transport;
            assert.ok(pid > 0);
            await new Promise((begun) => other.call('wait', { ms: 60000 }, { onprogress: begun }).catch(() => {}));
            await other.client.close();
            await until(() => { try { return !process.kill(pid, 0); } catch { return true; } });
        });
        if (kind.http && kind.era === 'legacy') await t.test('a session that was ended is unknown', async () => {
            const other = await kind.open(server.url);
            await other.client.transport.terminateSession();
            await assert.rejects(other.call('echo', {}));
        });
        await client.close();
        const exit = await server?.stop();
        if (exit) assert.deepEqual(exit, [0, null]);
    });
}

test('without the token nothing is to be had', async () => {
    const server = await startHttp();
    const client = new v1.Client(info);
    await assert.rejects(client.connect(new v1.StreamableHTTPClientTransport(server.url)));
    await server.stop();
});

test('a client that probes finds the modern era on both transports', async () => {
    const server = await startHttp();
    for (const transport of [new v2.StdioClientTransport({ command: fixture, args: ['--stdio'], stderr: 'ignore' }),
                             new v2.StreamableHTTPClientTransport(server.url, { requestInit: { headers } })]) {
        const client = new v2.Client(info, { versionNegotiation: { mode: 'auto' } });
        await client.connect(transport);
        assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
        await client.close();
    }
    await server.stop();
});
