import { createInterface } from 'node:readline';
import { CommandError } from './exit-codes.ts';
import type { Io } from './io.ts';

/** One line typed by the user; the question is on standard error, so that results stay apart. */
export const ask = ({ stdin, stderr }: Io, question: string): Promise<string> =>
  new Promise((resolve, reject) => {
    stderr.write(question);
    const lines = createInterface({ input: stdin, terminal: false });
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    // After a line the promise is settled already.
    lines.once('close', () => reject(new CommandError('interrupted', 'Nothing was done')));
  });

/** Everything on standard input. */
export const readStdin = async ({ stdin }: Pick<Io, 'stdin'>): Promise<string> => {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) text += chunk;
  return text;
};
