/**
 * A typed client of Holdfast's API. `createHoldfast` has one method per operation of the contract.
 * `dashboard.ts` is the same for pages of the service itself; it has an entry of its own.
 *
 * - `client.ts`, `build-operations.ts`: build the methods
 * - `operations.ts`, `operation-types.ts`: their types; `contract-types.ts` derives them
 * - `prepare-request.ts`, `send.ts`: one HTTP call with timeout, retries and waiting for 429;
 *   `response-info.ts`: what its response says beside its body
 * - `raw-request.ts`: any request beside the methods
 * - `wait.ts`: polls a backup, restore or pull until it ends; `errors.ts`: what is thrown
 * - `device-login.ts`: gets a key, by a code that its owner approves in the dashboard
 * - `contract-macros.ts`: the routes, read from the contract at bundle time
 */
export type { Holdfast } from './client.ts';
export { createHoldfast } from './client.ts';
export type {
  DeviceCode,
  DeviceLogin,
  DeviceLoginFailure,
  DeviceLoginOptions,
} from './device-login.ts';
export { HoldfastLoginFailed, logInByDevice } from './device-login.ts';
export type { ErrorKind } from './errors.ts';
export { HoldfastError, HoldfastJobFailed, HoldfastNetworkError } from './errors.ts';
export type { CallOptions } from './operation-types.ts';
export type { Entry, Input, OperationName, Output, PaginatedName } from './operations.ts';
export type { RawRequest } from './raw-request.ts';
export { sendRawRequest } from './raw-request.ts';
export type { RateLimit, ResponseInfo } from './response-info.ts';
export type { HoldfastOptions } from './settings.ts';
export type { WaitOptions } from './wait.ts';
