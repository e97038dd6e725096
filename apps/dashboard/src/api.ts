import { HoldfastError } from '@holdfast/sdk';
import { createHoldfastDashboard, type HoldfastDashboard } from '@holdfast/sdk/dashboard';

type CodeRequest = { confirmed(): void; cancelled(): void; outcome: Promise<boolean> };

let codeRequest: CodeRequest | undefined;
const listeners = new Set<() => void>();
const notifyListeners = (): void => {
  for (const listener of listeners) listener();
};

/** For the dialog that asks for a code of the second factor: the open request, if there is one. */
export const codeRequests = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  read: () => codeRequest,
};

/** Whether a code was given and accepted. Calls that wait at the same time share one request. */
const requestCode = (): Promise<boolean> => {
  if (codeRequest) return codeRequest.outcome;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const answer = (isConfirmed: boolean) => () => {
    codeRequest = undefined;
    notifyListeners();
    resolve(isConfirmed);
  };
  codeRequest = { confirmed: answer(true), cancelled: answer(false), outcome: promise };
  notifyListeners();
  return promise;
};

type Call = (...input: unknown[]) => Promise<unknown>;

/** A call that the service refuses without a fresh code asks for one and is then tried again. */
const withFreshCode = (operation: Call): Call =>
  new Proxy(operation, {
    async apply(call, self, input) {
      try {
        return await Reflect.apply(call, self, input);
      } catch (error) {
        const needsCode = error instanceof HoldfastError && error.is('confirmationRequired');
        if (!needsCode || !(await requestCode())) throw error;
        return Reflect.apply(call, self, input);
      }
    },
  });

/** The only way from the dashboard to the service. */
export const api: HoldfastDashboard = new Proxy(
  createHoldfastDashboard({ baseUrl: location.origin }),
  {
    get(operations, name) {
      const operation = Reflect.get(operations, name);
      return typeof operation === 'function' ? withFreshCode(operation) : operation;
    },
  },
);
