/**
 * What a call needs of the contract at run time. Files import these functions as macros: Bun runs
 * them when it bundles or loads the file and inserts their results. So neither the contract nor zod
 * is part of the client.
 */
import {
  apiPrefix,
  dashboardApiPrefix,
  dashboardEndpoints,
  deleted,
  type Endpoint,
  endpoints,
  eventsPath,
} from '@holdfast/contract';
import { version } from '../package.json';

/** What does not apply is left out, because all of them are part of the client. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  isPaginated?: true;
  /** The body is sent as a form, because one of its fields is a file. */
  isUpload?: true;
  /** Is not sent again if its outcome is unknown. */
  refusesRepeat?: true;
  /** The parameter with the id of what it deletes: afterwards that is not found. */
  deletedBy?: string;
};

export const readVersion = (): string => version;

export const readApiPrefix = (): string => apiPrefix;

export const readDashboardPrefix = (): string => dashboardApiPrefix;

export const readEventsPath = (): string => eventsPath;

export const readRoutes = (): Record<string, Route> => routesOf(endpoints);

export const readDashboardRoutes = (): Record<string, Route> => routesOf(dashboardEndpoints);

const routesOf = (entries: Record<string, Endpoint>): Record<string, Route> =>
  Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, routeOf(entry)]));

const routeOf = (entry: Endpoint): Route => ({
  method: entry.method,
  path: entry.path,
  ...(entry.paginated && { isPaginated: true }),
  ...(entry.upload && { isUpload: true }),
  ...(entry.refusesRepeat && { refusesRepeat: true }),
  ...(entry.data === deleted && { deletedBy: idParameterOf(entry) }),
});

/** The record in the query, or else the last one of the path. */
const idParameterOf = ({ params, query }: Endpoint): string | undefined =>
  Object.keys({ ...params?.shape, ...query?.shape }).at(-1);
