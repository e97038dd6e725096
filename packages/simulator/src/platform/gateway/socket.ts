import type { Server, ServerWebSocket, WebSocketHandler } from 'bun';
import type { GatewayServer } from './gateway.ts';
import { CloseCode, reasonOfClose } from './protocol.ts';
import type { Connection } from './state.ts';

/** The socket's own data: the connection is made when it is open. */
type SocketData = { origin: string; refusal: number | undefined; connection?: Connection };

const MAX_UNREAD_BYTES = 512 * 1024 * 1024;

const PATHS = /^\/gateway(\/resume)?\/?$/;

/** The version that is spoken here, in JSON and without compression. */
const refusalOf = ({ searchParams }: URL): number | undefined => {
  const isSpoken =
    (searchParams.get('v') ?? '10') === '10' && (searchParams.get('encoding') ?? 'json') === 'json';
  return isSpoken ? undefined : CloseCode.InvalidVersion;
};

/** Takes a request for a socket at the gateway's address; undefined for any other request. */
export const upgradeToGateway = (
  gateway: GatewayServer,
  request: Request,
  server: Server<SocketData>,
): { response: Response | undefined } | undefined => {
  const url = new URL(request.url);
  if (!PATHS.test(url.pathname) || request.headers.get('upgrade') === null) return undefined;
  if (gateway.state.refusedUntilMs > Date.now()) {
    return { response: new Response('Service unavailable', { status: 503 }) };
  }
  if (url.searchParams.has('compress')) {
    return { response: new Response('Compression is not spoken here', { status: 400 }) };
  }
  const data: SocketData = { origin: `ws://${url.host}`, refusal: refusalOf(url) };
  const isUpgraded = server.upgrade(request, { data });
  return { response: isUpgraded ? undefined : new Response('Not a WebSocket', { status: 400 }) };
};

export const createSocketHandler = (gateway: GatewayServer): WebSocketHandler<SocketData> => ({
  // Heartbeats are the gateway's own; the platform sends no pings.
  idleTimeout: 0,
  sendPings: false,
  // A bot in thousands of guilds is told of all of them at once. Who reads no more is cut off, so that
  // nothing is left out in silence.
  backpressureLimit: MAX_UNREAD_BYTES,
  closeOnBackpressureLimit: true,
  open: (socket) => {
    const { refusal } = socket.data;
    if (refusal) return socket.close(refusal, reasonOfClose(refusal));
    socket.data.connection = newConnection(socket);
    gateway.open(socket.data.connection);
  },
  message: (socket, message) => {
    const { connection } = socket.data;
    if (!connection) return;
    if (typeof message === 'string') gateway.receive(connection, message);
    else connection.close(CloseCode.DecodeError);
  },
  close: (socket, code) => {
    if (socket.data.connection) gateway.closed(socket.data.connection, code);
  },
});

const newConnection = (socket: ServerWebSocket<SocketData>): Connection => ({
  origin: socket.data.origin,
  session: undefined,
  lastHeartbeatAtMs: Date.now(),
  sends: { endsAtMs: 0, used: 0 },
  send: (text) => {
    socket.send(text);
  },
  close: (code) => socket.close(code, reasonOfClose(code)),
  cut: () => socket.terminate(),
});
