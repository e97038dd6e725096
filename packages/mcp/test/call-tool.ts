import type { Client } from '@modelcontextprotocol/client';

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Called = { isError: boolean; text: string; content: any };

/** Calls a tool; the answer as text and as data. */
export const callTool = async (
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
  onprogress?: (report: { progress: number }) => void,
): Promise<Called> => {
  const result = await client.callTool({ name, arguments: input }, onprogress && { onprogress });
  const [block] = result.content;
  return {
    isError: result.isError === true,
    text: block?.type === 'text' ? block.text : '',
    content: result.structuredContent,
  };
};
