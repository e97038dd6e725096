import type { ResponseInfo } from './response-info.ts';

/** What every call takes beside its input. */
export type CallOptions = {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The time limit of one attempt. */
  timeoutMs?: number;
  /** Called for each response, beside the client's own `onResponse`. */
  onResponse?: (response: ResponseInfo) => void;
};

/** The types of one operation, expanded. */
type AnyTypes = { input: unknown; output: unknown; isPaginated: boolean };

/** The argument is optional if all of its fields are. */
type Arguments<Input> =
  Partial<Input> extends Input ? [call?: Input & CallOptions] : [call: Input & CallOptions];

export type Operation<Types extends AnyTypes> = ((
  ...call: Arguments<Types['input']>
) => Promise<Types['output']>) &
  (Types['isPaginated'] extends true
    ? {
        /** The entries of all pages, which are read as needed. */
        all(
          ...call: Arguments<Types['input']>
        ): AsyncGenerator<EntryOf<Types['output']>, void, undefined>;
      }
    : unknown);

/** The names of those that return one page. */
export type PaginatedOf<All extends Record<keyof All, AnyTypes>> = {
  [Name in keyof All]: All[Name]['isPaginated'] extends true ? Name : never;
}[keyof All];

/** One record of a page. */
export type EntryOf<Page> = Page extends { data: (infer Record)[] } ? Record : never;
