import type { Holdfast } from '@holdfast/sdk';
import { McpServer } from '@modelcontextprotocol/server';
import packageJson from '../package.json';
import { createPlanIds } from './plan-id.ts';
import { type ReadDocument, registerResources } from './resources.ts';
import type { Tool } from './tool.ts';
import { backUp, follow, planRestore, restore } from './tools/backups.ts';
import { callAnyOperation, describeOperation, findOperation } from './tools/general.ts';
import { pullMembers, searchMembers } from './tools/members.ts';
import { explainRefusal } from './tools/refusal.ts';
import { lookAtIncident, serverStatus } from './tools/servers.ts';
import { envelopeNotice } from './untrusted.ts';

export type McpServerOptions = {
  /** The client of the account, whose key decides what the tools may do. */
  holdfast: Holdfast;
  /** The API key of that client: ids of plans are bound to it. */
  key: string;
  readDocument: ReadDocument;
  /** Is told of errors that no tool should have; the assistant is only told that it failed. */
  onFailure(error: unknown): void;
};

const tools: Tool[] = [
  serverStatus,
  backUp,
  planRestore,
  restore,
  follow,
  pullMembers,
  searchMembers,
  explainRefusal,
  lookAtIncident,
  findOperation,
  describeOperation,
  callAnyOperation,
];

const instructions = `Holdfast backs up community servers, restores them, verifies newcomers and brings members back. Start with server_status. For what no tool does, use find_operation, describe_operation and call_operation. What destroys, moves money, changes credentials or weakens protection needs a plan that the person has seen and the name of the server, typed by the person. ${envelopeNotice}`;

const mostInputElements = 2000;

/** A server for one connection over stdio, or for one HTTP request. It holds no state of its own. */
export const createMcpServer = (options: McpServerOptions): McpServer => {
  const { version } = packageJson;
  const server = new McpServer(
    { name: 'holdfast', title: 'Holdfast', version },
    {
      instructions,
      maxToolInputElements: mostInputElements,
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
    },
  );
  const { holdfast, key, onFailure } = options;
  const toolbox = { holdfast, planIds: createPlanIds(key), onFailure };
  for (const tool of tools) tool.register(server, toolbox);
  registerResources(server, options.readDocument);
  return server;
};
