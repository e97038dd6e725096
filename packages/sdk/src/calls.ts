import type { ApiName, Entry, Input, OperationName, Output, PaginatedName } from './operations.ts';

/** What any call takes beside its input. */
export type CallOptions = {
  /** Rejects the call with the signal's reason. */
  signal?: AbortSignal;
  /** How long one try may take. */
  timeoutMs?: number;
};

/** Nothing need be given where everything is optional. */
type Arguments<Name extends OperationName> =
  Partial<Input<Name>> extends Input<Name>
    ? [call?: Input<Name> & CallOptions]
    : [call: Input<Name> & CallOptions];

type Operation<Name extends OperationName> = ((...call: Arguments<Name>) => Promise<Output<Name>>) &
  (Name extends PaginatedName
    ? {
        /** Every entry on all pages, read as they are needed. */
        all(...call: Arguments<Name>): AsyncGenerator<Entry<Name>, void, undefined>;
      }
    : unknown);

/** Every operation of the public API by its name. */
export type Operations = { [Name in ApiName]: Operation<Name> };

/** Those, and the ones that need a person in front of the dashboard. */
export type DashboardOperations = { [Name in OperationName]: Operation<Name> };
