/**
 * What a call needs to know of the contract while it runs. The files that import these functions do
 * so as macros: Bun runs them when it reads such a file, and puts their plain answers in place. So
 * the facts are written once, in the contract, and neither it nor zod has to be where the client runs.
 */
import { apiPrefix, endpoints } from '@holdfast/contract';

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  isPaginated: boolean;
};

export const readApiPrefix = (): string => apiPrefix;

export const readRoutes = (): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(endpoints).map(([name, entry]) => [
      name,
      { method: entry.method, path: entry.path, isPaginated: 'paginated' in entry },
    ]),
  );
