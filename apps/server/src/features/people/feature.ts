import { peopleHandlers } from './routes.ts';

/**
 * What an account knows about one member of a server, over all features, for the member's page in the
 * dashboard. It reads the tables of other features and writes none.
 */
export const people = { dashboardHandlers: peopleHandlers };
