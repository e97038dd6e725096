/**
 * Holdfast for assistants: a server of the Model Context Protocol, on top of the SDK.
 *
 * - `server.ts`: one server with its tools and resources; `serve.ts`: over stdio or for an HTTP request
 * - `tool.ts`: what a tool consists of; its annotations come from the contract; `tools/`: the tools
 * - `operations.ts`: any operation of the catalog; `confirm.ts`, `plan-id.ts`: what is asked before
 *   something is destroyed; `jobs.ts`: work that takes a while
 * - `answer.ts`, `untrusted.ts`: the form of answers, which keeps texts of strangers apart
 */
export type { ReadDocument } from './resources.ts';
export { handleMcpRequest, serveMcpStdio } from './serve.ts';
export type { McpServerOptions } from './server.ts';
