/**
 * What a call needs to know of the contract while it runs. The files that import these functions do
 * so as macros: Bun runs them when it reads such a file, and puts their plain answers in place. So
 * the facts are written once, in the contract, and neither it nor zod has to be where the client runs.
 */
import {
  apiPrefix,
  dashboardApiPrefix,
  dashboardEndpoints,
  type Endpoint,
  endpoints,
} from '@holdfast/contract';

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  isPaginated: boolean;
};

export const readApiPrefix = (): string => apiPrefix;

export const readDashboardPrefix = (): string => dashboardApiPrefix;

export const readRoutes = (): Record<string, Route> => routesOf(endpoints);

export const readDashboardRoutes = (): Record<string, Route> => routesOf(dashboardEndpoints);

const routesOf = (entries: Record<string, Endpoint>): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(entries).map(([name, { method, path, paginated }]) => [
      name,
      { method, path, isPaginated: paginated === true },
    ]),
  );
