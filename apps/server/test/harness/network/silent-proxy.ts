import { connect, createServer, type Socket } from 'node:net';

export type SilentProxy = {
  /** The address of a database, by way of the proxy. */
  through(url: string): string;
  /** Connections that are open now neither carry a byte nor end from here on; new ones work. */
  fallSilent(options?: { except?: string }): void;
  /** Nothing is carried, on old connections or new ones, until it is released; then all of it is. */
  holdEverything(): () => void;
  openConnections(): number;
  silentConnections(): number;
  stop(): Promise<void>;
};

type Link = {
  isSilent: boolean;
  /** What the client sent so far, to tell connections apart. */
  sent: string;
  client: Socket;
  server: Socket;
  /** What waits to be carried, each way. */
  toServer: Buffer[];
  toClient: Buffer[];
};

/** Stands between the service and PostgreSQL, as a pooler or a load balancer does. */
export const startSilentProxy = async (target: string): Promise<SilentProxy> => {
  const { hostname, port } = new URL(target);
  const links = new Set<Link>();
  let isHeld = false;

  const carry = ({ isSilent, client, server, toServer, toClient }: Link) => {
    if (isHeld || isSilent) return;
    for (const bytes of toServer.splice(0)) server.write(bytes);
    for (const bytes of toClient.splice(0)) client.write(bytes);
  };

  const listener = createServer((client) => {
    const server = connect(Number(port), hostname);
    const link: Link = { isSilent: false, sent: '', client, server, toServer: [], toClient: [] };
    links.add(link);
    client.on('data', (bytes) => {
      link.sent += bytes.toString('latin1');
      link.toServer.push(Buffer.from(bytes));
      carry(link);
    });
    server.on('data', (bytes) => {
      link.toClient.push(Buffer.from(bytes));
      carry(link);
    });
    client.on('close', () => {
      links.delete(link);
      server.destroy();
    });
    server.on('close', () => {
      if (!link.isSilent) client.end();
    });
    for (const socket of [client, server]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const ownPort = String(typeof address === 'object' && address ? address.port : 0);

  return {
    through(url) {
      const by = new URL(url);
      by.hostname = '127.0.0.1';
      by.port = ownPort;
      // What is sent must be readable, to tell connections apart.
      by.searchParams.set('sslmode', 'disable');
      by.searchParams.delete('connect_timeout');
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
    async stop() {
      for (const { client } of links) client.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
};
