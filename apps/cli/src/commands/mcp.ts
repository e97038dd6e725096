import type { CommandSpec } from '../command.ts';

export const mcp: CommandSpec = {
  words: ['mcp'],
  summary: 'Serve an assistant over standard input and output (MCP)',
  description:
    'Started by the assistant, not by hand: it speaks the Model Context Protocol until its input ends. What the assistant may do is decided by the scopes of the key.',
  examples: [
    { does: 'The command line to give to an assistant', line: 'holdfast mcp' },
    { does: 'With the key of another profile', line: 'holdfast mcp --profile assistant' },
  ],
  async run({ context }) {
    // Refuses to begin without a key.
    await context.holdfast();
    const { url, key = '' } = await context.connection();
    const { serveMcp } = await import('./serve-mcp.ts');
    await serveMcp({
      ...{ url, key },
      onFailure(error) {
        context.io.stderr.write(`A tool failed: ${String(error)}\n`);
      },
    });
  },
};
