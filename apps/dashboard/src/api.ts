import { createHoldfastDashboard, type HoldfastDashboard, HoldfastError } from '@holdfast/sdk';
import { askForCode } from './ask-for-code.ts';

type Call = (...input: unknown[]) => Promise<unknown>;

/** An operation that is refused for want of a fresh code asks for one, and is then tried again. */
const askingForCode = (operation: Call): Call =>
  new Proxy(operation, {
    async apply(call, self, input) {
      try {
        return await Reflect.apply(call, self, input);
      } catch (error) {
        const isCodeWanted = error instanceof HoldfastError && error.is('confirmationRequired');
        if (!isCodeWanted || !(await askForCode())) throw error;
        return Reflect.apply(call, self, input);
      }
    },
  });

/** All that the dashboard knows comes through this, and all that it does. */
export const api: HoldfastDashboard = new Proxy(
  createHoldfastDashboard({ baseUrl: location.origin }),
  {
    get(operations, name) {
      const operation = Reflect.get(operations, name);
      return typeof operation === 'function' ? askingForCode(operation) : operation;
    },
  },
);
