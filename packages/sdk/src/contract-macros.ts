/**
 * What a call needs of the contract at run time. Files import these functions as macros: Bun runs
 * them when it bundles or loads the file and inserts their results. So neither the contract nor zod
 * is part of the client.
 */
import {
  apiPrefix,
  dashboardApiPrefix,
  dashboardEndpoints,
  type Endpoint,
  endpoints,
  eventsPath,
} from '@holdfast/contract';

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  isPaginated: boolean;
  /** The body is sent as a form, because one of its fields is a file. */
  isUpload: boolean;
};

export const readApiPrefix = (): string => apiPrefix;

export const readDashboardPrefix = (): string => dashboardApiPrefix;

export const readEventsPath = (): string => eventsPath;

export const readRoutes = (): Record<string, Route> => routesOf(endpoints);

export const readDashboardRoutes = (): Record<string, Route> => routesOf(dashboardEndpoints);

const routesOf = (entries: Record<string, Endpoint>): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(entries).map(([name, { method, path, paginated, upload }]) => [
      name,
      { method, path, isPaginated: paginated === true, isUpload: upload !== undefined },
    ]),
  );
