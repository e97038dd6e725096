/** The version is carried in the path (spec part 9). */
export const apiPrefix = '/api/v1';

/** The same operations for the dashboard, which comes with a session in place of a key. */
export const dashboardApiPrefix = '/dashboard/api';
