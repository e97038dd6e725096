import type { Socket } from 'bun';

export type SilentProxy = {
  /** The address of a database, by way of the proxy. */
  through(url: string): string;
  /** Connections that are open now neither carry a byte nor end from here on; new ones work. */
  fallSilent(options?: { except?: string }): void;
  /** Nothing is carried, on old connections or new ones, until it is released; then all of it is. */
  holdEverything(): () => void;
  openConnections(): number;
  silentConnections(): number;
  stop(): void;
};

type Link = {
  isSilent: boolean;
  /** What the client sent so far, to tell connections apart. */
  sent: string;
  client: Socket<Link>;
  server?: Socket<Link>;
  /** What waits to be carried, each way. */
  toServer: Uint8Array[];
  toClient: Uint8Array[];
};

/** Stands between the service and PostgreSQL, as a pooler or a load balancer does. */
export const startSilentProxy = (target: string): SilentProxy => {
  const { hostname, port } = new URL(target);
  const links = new Set<Link>();
  let isHeld = false;

  const carry = (link: Link) => {
    if (isHeld || link.isSilent || !link.server) return;
    for (const bytes of link.toServer.splice(0)) link.server.write(bytes);
    for (const bytes of link.toClient.splice(0)) link.client.write(bytes);
  };

  const connectServer = (link: Link) =>
    Bun.connect<Link>({
      hostname,
      port: Number(port),
      data: link,
      socket: {
        data(_, bytes) {
          link.toClient.push(new Uint8Array(bytes));
          carry(link);
        },
        close() {
          if (!link.isSilent) link.client.end();
        },
      },
    });

  const listener = Bun.listen<Link>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async open(client) {
        const link: Link = { isSilent: false, sent: '', client, toServer: [], toClient: [] };
        client.data = link;
        links.add(link);
        link.server = await connectServer(link);
        carry(link);
      },
      data({ data: link }, bytes) {
        link.sent += bytes.toString('latin1');
        link.toServer.push(new Uint8Array(bytes));
        carry(link);
      },
      close({ data: link }) {
        links.delete(link);
        link.server?.end();
      },
    },
  });

  return {
    through(url) {
      const by = new URL(url);
      by.hostname = '127.0.0.1';
      by.port = String(listener.port);
      return by.href;
    },
    fallSilent({ except } = {}) {
      for (const link of links) {
        link.isSilent = except === undefined || !link.sent.includes(except);
      }
    },
    holdEverything() {
      isHeld = true;
      return () => {
        isHeld = false;
        for (const link of links) carry(link);
      };
    },
    openConnections: () => links.size,
    silentConnections: () => [...links].filter(({ isSilent }) => isSilent).length,
    stop: () => listener.stop(true),
  };
};
