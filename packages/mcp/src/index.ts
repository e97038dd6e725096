/**
 * Holdfast for assistants: a server of the Model Context Protocol, on top of the SDK.
 *
 * - `server.ts`: one server with its tools and resources; `serve.ts`: over stdio or for an HTTP request
 * - `tool.ts`: what a tool consists of; its annotations come from the contract; `tools/`: the tools
 * - `operations.ts`: any operation of the catalog; `jobs.ts`: work that takes a while
 * - `confirm.ts`: what a person has to confirm, by a plan; `affected.ts`: what the plan is about;
 *   `plan-id.ts`: its id
 * - `answer.ts`, `untrusted.ts`: the form of answers, which keeps texts of strangers apart
 */
export type { ReadDocument } from './resources.ts';
export { handleMcpRequest, serveMcpStdio } from './serve.ts';
export type { McpServerOptions } from './server.ts';
