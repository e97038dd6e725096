import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './exit-codes.ts';
import type { Io } from './io.ts';

/** One line typed by the user; the question is on standard error, so that results stay apart. */
export const ask = (io: Io, question: string): Promise<string> => readLine(io, question, false);

/** The same without an echo: nobody reads it over a shoulder, or in a recording. */
export const askSecret = (io: Io, question: string): Promise<string> =>
  readLine(io, question, true);

const readLine = ({ stdin, stderr }: Io, question: string, isSecret: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    // As a terminal it echoes by itself what is typed, which goes nowhere here.
    const lines = createInterface(
      isSecret
        ? { input: stdin, output: nowhere(), terminal: true, historySize: 0 }
        : { input: stdin, terminal: false },
    );
    stderr.write(question);
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      if (isSecret) stderr.write('\n');
      // After a line the promise is settled already.
      reject(new CommandError('interrupted', 'Nothing was done'));
    });
  });

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Everything on standard input. */
export const readStdin = async ({ stdin }: Pick<Io, 'stdin'>): Promise<string> => {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) text += chunk;
  return text;
};
