import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { matchPath, Route, Routes } from 'react-router';
import { NotFound } from '../components/page.tsx';
import { ServerFrame } from './server-frame.tsx';

type Page = { Element: LazyExoticComponent<ComponentType>; load: () => Promise<unknown> };

/** A page is loaded when it is opened. */
const page = <Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): Page => ({ load, Element: lazy(async () => ({ default: (await load())[name] })) });

const accountPages: [path: string, page: Page][] = [
  ['servers', page(() => import('../pages/servers/servers.tsx'), 'Servers')],
  ['servers/new', page(() => import('../pages/servers/add-server.tsx'), 'AddServer')],
  ['bots', page(() => import('../pages/bots/bots.tsx'), 'Bots')],
  ['blacklist', page(() => import('../pages/rules/blacklist.tsx'), 'Blacklist')],
  ['marketplace', page(() => import('../pages/marketplace/browse/market.tsx'), 'Market')],
  [
    'marketplace/listings/:listingId',
    page(() => import('../pages/marketplace/browse/listing.tsx'), 'ListingPage'),
  ],
  [
    'marketplace/sellers/:sellerId',
    page(() => import('../pages/marketplace/browse/seller.tsx'), 'SellerPage'),
  ],
  [
    'marketplace/selling',
    page(() => import('../pages/marketplace/selling/selling.tsx'), 'Selling'),
  ],
  ['marketplace/orders', page(() => import('../pages/marketplace/orders/orders.tsx'), 'Orders')],
  [
    'marketplace/orders/:orderId',
    page(() => import('../pages/marketplace/orders/order.tsx'), 'Order'),
  ],
  ['api-keys', page(() => import('../pages/api-keys/api-keys.tsx'), 'ApiKeys')],
  ['device', page(() => import('../pages/device/device.tsx'), 'Device')],
  ['billing', page(() => import('../pages/billing/billing.tsx'), 'Billing')],
  ['alerts', page(() => import('../pages/alerts/alerts.tsx'), 'Alerts')],
  [
    'alerts/settings',
    page(() => import('../pages/alerts/alert-settings.tsx'), 'AlertSettingsPage'),
  ],
  ['audit', page(() => import('../pages/audit/audit.tsx'), 'Audit')],
  ['account', page(() => import('../pages/account/account.tsx'), 'Account')],
];

/** Below the address of a server. */
const serverPages: [path: string, page: Page][] = [
  ['', page(() => import('../pages/server-home/server-home.tsx'), 'ServerHome')],
  ['settings', page(() => import('../pages/settings/settings.tsx'), 'ServerSettings')],
  ['members', page(() => import('../pages/members/members.tsx'), 'Members')],
  [
    'members/verify',
    page(() => import('../pages/members/verify/verify-members.tsx'), 'VerifyMembers'),
  ],
  ['members/:memberId', page(() => import('../pages/members/person/person.tsx'), 'Person')],
  ['recover', page(() => import('../pages/recover/recover.tsx'), 'Recover')],
  ['backups', page(() => import('../pages/backups/backups.tsx'), 'Backups')],
  ['backups/:backupId', page(() => import('../pages/backups/backup.tsx'), 'Backup')],
  ['restores/:restoreId', page(() => import('../pages/restores/restore.tsx'), 'Restore')],
  ['pulls', page(() => import('../pages/pulls/pulls.tsx'), 'Pulls')],
  ['pulls/:pullId', page(() => import('../pages/pulls/pull.tsx'), 'Pull')],
  ['protection', page(() => import('../pages/protection/protection.tsx'), 'ProtectionPage')],
  ['panels', page(() => import('../pages/panels/panels.tsx'), 'Panels')],
  ['panels/new', page(() => import('../pages/panels/panel-editor.tsx'), 'NewPanel')],
  ['panels/:panelId', page(() => import('../pages/panels/panel-editor.tsx'), 'EditPanel')],
  ['verify-page', page(() => import('../pages/verify-page/verify-page.tsx'), 'VerifyPageSettings')],
  ['incidents', page(() => import('../pages/incidents/incidents.tsx'), 'Incidents')],
  ['incidents/:incidentId', page(() => import('../pages/incidents/incident.tsx'), 'IncidentPage')],
  ['firewall', page(() => import('../pages/rules/rules.tsx'), 'Firewall')],
  ['whitelist', page(() => import('../pages/rules/rules.tsx'), 'Whitelist')],
  ['appeals', page(() => import('../pages/appeals/appeals.tsx'), 'Appeals')],
  ['analytics', page(() => import('../pages/analytics/analytics.tsx'), 'AnalyticsPage')],
];

const routesOf = (pages: [path: string, page: Page][]) =>
  pages.map(([path, { Element }]) => <Route key={path} path={path} element={<Element />} />);

export const loadPageOf = async (pathname: string): Promise<void> => {
  const ofServers = serverPages.map(([path, found]) => [`servers/:id/${path}`, found] as const);
  const match = [...accountPages, ...ofServers].find(([path]) => matchPath(`/${path}`, pathname));
  await match?.[1].load();
};

/** All pages but the overview. */
export const Pages = () => (
  <Routes>
    {routesOf(accountPages)}
    <Route path="servers/:id" element={<ServerFrame />}>
      {routesOf(serverPages)}
    </Route>
    <Route path="*" element={<NotFound />} />
  </Routes>
);
