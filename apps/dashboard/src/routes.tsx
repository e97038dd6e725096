import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { Route, Routes } from 'react-router';
import { NotFound } from './parts/not-found.tsx';
import { ServerFrame } from './shell/server-frame.tsx';
import { Shell } from './shell/shell.tsx';

/** A page is loaded when it is opened. */
const page = <Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): LazyExoticComponent<ComponentType> => lazy(async () => ({ default: (await load())[name] }));

const Overview = page(() => import('./pages/overview.tsx'), 'Overview');
const Servers = page(() => import('./pages/servers/servers.tsx'), 'Servers');
const AddServer = page(() => import('./pages/servers/add-server.tsx'), 'AddServer');
const ServerHome = page(() => import('./pages/servers/server-home.tsx'), 'ServerHome');
const ServerSettings = page(() => import('./pages/servers/server-settings.tsx'), 'ServerSettings');
const Bots = page(() => import('./pages/bots/bots.tsx'), 'Bots');
const Members = page(() => import('./pages/members/members.tsx'), 'Members');
const Backups = page(() => import('./pages/backups/backups.tsx'), 'Backups');
const Backup = page(() => import('./pages/backups/backup.tsx'), 'Backup');
const Restore = page(() => import('./pages/backups/restore.tsx'), 'Restore');
const Pulls = page(() => import('./pages/pulls/pulls.tsx'), 'Pulls');
const Pull = page(() => import('./pages/pulls/pull.tsx'), 'Pull');
const Firewall = page(() => import('./pages/rules/firewall.tsx'), 'Firewall');
const Whitelist = page(() => import('./pages/rules/whitelist.tsx'), 'Whitelist');
const Blacklist = page(() => import('./pages/rules/blacklist.tsx'), 'Blacklist');
const Appeals = page(() => import('./pages/rules/appeals.tsx'), 'Appeals');
const Analytics = page(() => import('./pages/analytics/analytics.tsx'), 'Analytics');
const Market = page(() => import('./pages/marketplace/market.tsx'), 'Market');
const Selling = page(() => import('./pages/marketplace/selling.tsx'), 'Selling');
const Orders = page(() => import('./pages/marketplace/orders.tsx'), 'Orders');
const Order = page(() => import('./pages/marketplace/order.tsx'), 'Order');
const ApiKeys = page(() => import('./pages/api-keys/api-keys.tsx'), 'ApiKeys');
const Billing = page(() => import('./pages/billing/billing.tsx'), 'Billing');
const Audit = page(() => import('./pages/audit/audit.tsx'), 'Audit');
const Account = page(() => import('./pages/account/account.tsx'), 'Account');

export const AppRoutes = () => (
  <Routes>
    <Route element={<Shell />}>
      <Route index element={<Overview />} />
      <Route path="servers" element={<Servers />} />
      <Route path="servers/new" element={<AddServer />} />
      <Route path="servers/:id" element={<ServerFrame />}>
        <Route index element={<ServerHome />} />
        <Route path="settings" element={<ServerSettings />} />
        <Route path="members" element={<Members />} />
        <Route path="backups" element={<Backups />} />
        <Route path="backups/:backupId" element={<Backup />} />
        <Route path="restores/:restoreId" element={<Restore />} />
        <Route path="pulls" element={<Pulls />} />
        <Route path="pulls/:pullId" element={<Pull />} />
        <Route path="firewall" element={<Firewall />} />
        <Route path="whitelist" element={<Whitelist />} />
        <Route path="appeals" element={<Appeals />} />
        <Route path="analytics" element={<Analytics />} />
      </Route>
      <Route path="bots" element={<Bots />} />
      <Route path="blacklist" element={<Blacklist />} />
      <Route path="marketplace" element={<Market />} />
      <Route path="marketplace/selling" element={<Selling />} />
      <Route path="marketplace/orders" element={<Orders />} />
      <Route path="marketplace/orders/:orderId" element={<Order />} />
      <Route path="api-keys" element={<ApiKeys />} />
      <Route path="billing" element={<Billing />} />
      <Route path="audit" element={<Audit />} />
      <Route path="account" element={<Account />} />
      <Route path="*" element={<NotFound />} />
    </Route>
  </Routes>
);
