export type { CallOptions } from './calls.ts';
export type { Holdfast, HoldfastDashboard } from './client.ts';
export { createHoldfast, createHoldfastDashboard } from './client.ts';
export type { ErrorKind } from './errors.ts';
export { HoldfastError, HoldfastJobFailed, HoldfastNetworkError } from './errors.ts';
export type { ApiName, Entry, Input, OperationName, Output, PaginatedName } from './operations.ts';
export type { HoldfastOptions } from './settings.ts';
export type { WaitOptions } from './wait-for-end.ts';
