import { inSpan } from '../../kernel/tracing.ts';
import type { BlobStore } from './blob-store.ts';

/** The same store; what it does within a trace is a step of that. Names hold accounts: they are left out. */
export const traceStore = (store: BlobStore): BlobStore => {
  const step = <Result>(operation: string, work: () => Promise<Result>, bytes?: number) =>
    inSpan(
      () => ({
        ...{ name: `blobs ${operation}`, kind: 'client' },
        attributes: {
          'holdfast.blobs.store': store.kind,
          'holdfast.blobs.operation': operation,
          ...(bytes !== undefined && { 'holdfast.blobs.bytes': bytes }),
        },
      }),
      work,
    );
  return {
    ...store,
    put: (name, bytes) => step('put', () => store.put(name, bytes), bytes.length),
    get: (name) => step('get', () => store.get(name)),
    delete: (name) => step('delete', () => store.delete(name)),
  };
};
