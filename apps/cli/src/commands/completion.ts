import type { CommandSpec } from '../command.ts';
import { completionScripts } from '../docs/completion.ts';
import { CommandError } from '../exit-codes.ts';

const shells = Object.keys(completionScripts);

export const completion: CommandSpec = {
  words: ['completion'],
  summary: 'Print the completion script of a shell',
  arguments: [{ name: 'shell', description: shells.join(', '), values: shells }],
  examples: [
    { does: 'For bash', line: 'source <(holdfast completion bash)' },
    { does: 'For zsh', line: 'source <(holdfast completion zsh)' },
    {
      does: 'For fish',
      line: 'holdfast completion fish > ~/.config/fish/completions/holdfast.fish',
    },
  ],
  async run({ context, args: [shell = ''] }) {
    const script = completionScripts[shell];
    if (script === undefined) {
      throw new CommandError('usage', `${shell} is none of ${shells.join(', ')}`);
    }
    context.io.stdout.write(script);
  },
};
