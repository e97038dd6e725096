/** @jsxImportSource hono/jsx */
import { Name } from '../../http/pages/name.tsx';
import type { Door } from './queries.ts';

type ShownServer = Pick<Door, 'name' | 'iconUrl'>;

/** Whose page this is; the picture only decorates the name beside it. */
export const ServerHead = ({ server, title }: { server: ShownServer; title: string }) => (
  <div class="server">
    <img src={server.iconUrl ?? '/placeholder/server.svg'} alt="" width="52" height="52" />
    <div>
      <h1>{title}</h1>
      <div class="quiet">
        <Name>{server.name}</Name>
      </div>
    </div>
  </div>
);

/** Where its picture comes from, for the page's policy. */
export const pictureOriginsOf = ({ iconUrl }: ShownServer): string[] => {
  const url = iconUrl === null ? null : URL.parse(iconUrl);
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
};
