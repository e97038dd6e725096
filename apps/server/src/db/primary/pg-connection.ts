import { Socket } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { type Primary, primaryOf } from './primary.ts';

/**
 * Where the `pg` driver connects to. Its pool knows one address for all of its life, so where the address
 * names several hosts it gets sockets which lead to the one that is the primary then.
 */
export const pgConnection = async (url: string) => {
  const primary = primaryOf(url);
  const connection = await primary.current().pg();
  if (!primary.mayMove) return connection;
  const { ssl } = connection;
  const isVerified = ssl !== false && ssl.rejectUnauthorized;
  return {
    ...connection,
    ssl: isVerified ? { ...ssl, checkServerIdentity: identityOf(primary) } : ssl,
    stream: () => socketTo(primary),
  };
};

/** The certificate is that of the host which the socket leads to, not of the first in the address. */
const identityOf = (primary: Primary) => (_: string, certificate: PeerCertificate) =>
  primary.current().checkIdentity(certificate);

/** Ends when another host is the primary; the driver's pool then makes a new one. */
const socketTo = (primary: Primary): Socket => {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  const unfollow = primary.follow(() => socket.destroy());
  socket.once('close', unfollow);
  return Object.assign(socket, {
    connect() {
      const { hostname, port } = primary.current();
      return connect(port, hostname);
    },
  });
};
