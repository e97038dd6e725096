/**
 * The client of the dashboard: pages of the service itself, which are authenticated by their session's
 * cookie. It has the operations of the API and those that only a session can call.
 */
import { operationsOf } from './build-operations.ts';
import {
  readDashboardPrefix,
  readDashboardRoutes,
  readEventsPath,
  readRoutes,
} from './contract-macros.ts' with { type: 'macro' };
import type { DashboardOperations } from './dashboard-operations.ts';
import { type HoldfastOptions, settingsOf } from './settings.ts';
import { type Waits, waitsOf } from './wait.ts';

export type { Entry, Input, Output } from './dashboard-operations.ts';

export type HoldfastDashboard = DashboardOperations & Waits;

export const createHoldfastDashboard = (
  options: Omit<HoldfastOptions, 'key' | 'basePath'>,
): HoldfastDashboard => {
  const settings = settingsOf({ ...options, basePath: readDashboardPrefix() });
  const routes = { ...readRoutes(), ...readDashboardRoutes() };
  const operations = operationsOf<DashboardOperations>(settings, routes);
  return { ...operations, ...waitsOf(settings, operations) };
};

/** Where a page of the service opens its stream of events, which tells what has changed. */
export const dashboardEventsPath = readEventsPath();
