import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const compiler = join(import.meta.dir, '../../../node_modules/typescript/bin/tsc');

type Message = {
  id?: number | string;
  method?: string;
  params?: { items?: unknown[] };
  result?: { contents?: { value?: string } };
};

/** What an editor shows when the mouse is over each of these words, by the compiler's language server. */
export const hoverOver = async (file: string, words: string[]): Promise<string[]> => {
  const server = Bun.spawn([process.execPath, compiler, '--lsp', '--stdio'], {
    ...{ cwd: join(file, '..'), stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' },
  });
  const replies = readMessages(server.stdout);
  let lastId = 0;
  const write = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return server.stdin.flush();
  };
  const tell = (method: string, params: object) => write({ method, params });
  const ask = async (method: string, params: object): Promise<Message['result']> => {
    const id = ++lastId;
    await write({ id, method, params });
    for (;;) {
      const { value, done } = await replies.next();
      if (done) throw new Error(`The language server ended before it answered ${method}`);
      if (value.method === undefined && value.id === id) return value.result;
      // It also asks for the editor's settings, of which there are none.
      const settings = value.params?.items?.map(() => null) ?? null;
      if (value.method && value.id !== undefined) await write({ id: value.id, result: settings });
    }
  };
  try {
    const text = await Bun.file(file).text();
    const uri = pathToFileURL(file).href;
    const rootUri = pathToFileURL(join(file, '..')).href;
    await ask('initialize', { processId: process.pid, rootUri, capabilities: {} });
    await tell('initialized', {});
    const textDocument = { uri, languageId: 'typescript', version: 1, text };
    await tell('textDocument/didOpen', { textDocument });
    const shown: string[] = [];
    for (const word of words) {
      const position = positionOf(text, word);
      const hover = await ask('textDocument/hover', { textDocument: { uri }, position });
      shown.push(hover?.contents?.value ?? '');
    }
    return shown;
  } finally {
    server.kill();
    await server.exited;
  }
};

const positionOf = (text: string, word: string) => {
  const before = text.slice(0, text.indexOf(word)).split('\n');
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
};

/** Each message is preceded by its length in bytes. */
async function* readMessages(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  let buffered = Buffer.alloc(0);
  for await (const chunk of stream) {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const headEnd = buffered.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(buffered.toString())?.[1]);
      if (headEnd < 0 || buffered.length < headEnd + 4 + length) break;
      yield JSON.parse(buffered.subarray(headEnd + 4, headEnd + 4 + length).toString());
      buffered = buffered.subarray(headEnd + 4 + length);
    }
  }
}
