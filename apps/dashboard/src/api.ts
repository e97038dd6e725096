import { createHoldfastDashboard } from '@holdfast/sdk';

/** All that the dashboard knows comes through this, and all that it does. */
export const api = createHoldfastDashboard({ baseUrl: location.origin });
