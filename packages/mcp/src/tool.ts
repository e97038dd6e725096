import type { Holdfast, OperationName } from '@holdfast/sdk';
import type { McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { type Answer, answerShape, failureOf, isExpected, successOf } from './answer.ts';
import { operationOf } from './operations.ts';
import type { PlanIds } from './plan-id.ts';
import { envelopeNotice } from './untrusted.ts';

/** What a tool works with. */
export type Toolbox = {
  holdfast: Holdfast;
  planIds: PlanIds;
  /** Is told of errors that no tool should have. */
  onFailure(error: unknown): void;
};

/** What it knows of the request that called it. */
export type ToolRequest = {
  signal: AbortSignal;
  /** Does nothing where the client did not ask for it. */
  reportProgress(percent: number, message: string): Promise<void>;
};

type ToolDefinition<Input extends z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** The shape of its result. */
  output: z.ZodType;
  /** The operations that it calls: what they do in the contract is what the tool is said to do. */
  uses: OperationName[] | 'any' | 'none';
  run(toolbox: Toolbox, input: z.output<Input>, request: ToolRequest): Promise<Answer>;
};

export type Tool = {
  name: string;
  register(server: McpServer, toolbox: Toolbox): void;
};

export const defineTool = <Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool => {
  const { name, title, description, input, output, uses, run } = definition;
  const config = {
    title,
    description: `${description} ${envelopeNotice}`,
    inputSchema: input.strict(),
    outputSchema: answerShape(output),
    annotations: { title, ...annotationsOf(uses) },
  };
  return {
    name,
    register(server, toolbox) {
      // The schema of `input` is what made `given`; its type is lost where the SDK infers it.
      server.registerTool(name, config, async (given, context) => {
        try {
          return successOf(await run(toolbox, given as z.output<Input>, requestOf(context)));
        } catch (error) {
          if (!isExpected(error) && !context.mcpReq.signal.aborted) toolbox.onFailure(error);
          return failureOf(error);
        }
      });
    },
  };
};

/** Operations reach the platform and return what strangers wrote: an open world. */
const annotationsOf = (uses: OperationName[] | 'any' | 'none'): ToolAnnotations => {
  if (uses === 'none') {
    return {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    };
  }
  if (uses === 'any') {
    return {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    };
  }
  const operations = uses.map(operationOf);
  return {
    readOnlyHint: operations.every(({ isReadOnly }) => isReadOnly),
    destructiveHint: operations.some(({ isDestructive }) => isDestructive),
    idempotentHint: operations.every(({ isIdempotent }) => isIdempotent),
    openWorldHint: true,
  };
};

const requestOf = ({ mcpReq }: ServerContext): ToolRequest => {
  const progressToken = mcpReq._meta?.progressToken;
  let last = -1;
  return {
    signal: mcpReq.signal,
    async reportProgress(progress, message) {
      // By the protocol every report is further than the one before.
      if (progressToken === undefined || progress <= last) return;
      last = progress;
      const params = { progressToken, progress, total: 100, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
  };
};
