import { GatewayDispatchEvents, GatewayOpcodes } from 'discord-api-types/v10';
import { z } from 'zod';
import { once } from '../../kernel/concurrency.ts';
import { parseJson } from '../../kernel/json.ts';
import { gatewayUrlAt } from '../client/urls.ts';
import { eventsOfDispatch } from './dispatches.ts';
import {
  endOfCode,
  frame,
  heartbeatFrame,
  hello,
  identifyFrame,
  presenceFrame,
  ready,
  resumeFrame,
} from './frames.ts';
import type { ConnectOptions, Gateway, GatewayConnection, GatewayEnd } from './port.ts';

/** The time from opening the socket until the session is there. */
const readyWithinMs = 30_000;

/** Any code but 1000 and 1001 keeps the session. */
const closeCodes = { keepSession: 4000, endSession: 1000 };

/** How long the platform may take to answer a close before the socket is dropped. */
const closeWithinMs = 2000;

/** Creates the adapter for the platform whose API is at `apiUrl`. */
export const createGateway = ({ apiUrl }: { apiUrl: string }): Gateway => ({
  connect: (options) => openConnection(apiUrl, options),
});

type Socket = {
  send(payload: object): void;
  end(outcome: GatewayEnd): void;
};

const openConnection = (apiUrl: string, options: ConnectOptions): GatewayConnection => {
  const { begin } = options;
  const url = begin.kind === 'resume' ? begin.session.resumeUrl : begin.url;
  const { promise: ended, resolve } = Promise.withResolvers<GatewayEnd>();
  const socket = new WebSocket(gatewayUrlAt(apiUrl, url));
  let isOver = false;
  const late = setTimeout(() => end({ kind: 'cut', code: undefined }), readyWithinMs);

  const end = (outcome: GatewayEnd) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    protocol.stop();
    terminate(socket);
    resolve(outcome);
  };
  const send = (payload: object) => {
    if (isOver || socket.readyState !== WebSocket.OPEN) return;
    if (options.mayAct()) socket.send(JSON.stringify(payload));
    else end({ kind: 'closed' });
  };
  // A resume also repeats the RESUMED of the one before it.
  const onReady = once(() => {
    clearTimeout(late);
    options.onReady();
  });
  const protocol = speak(apiUrl, { ...options, onReady }, { send, end });

  socket.addEventListener('message', ({ data }) => {
    if (!isOver) protocol.receive(String(data));
  });
  socket.addEventListener('close', ({ code }) => end(endOfCode(code)));
  socket.addEventListener('error', () => end({ kind: 'cut', code: undefined }));
  return {
    ended,
    setPresence: (presence) => send(presenceFrame(presence)),
    drop: () => end({ kind: 'closed' }),
    close(how) {
      if (isOver) return;
      if (socket.readyState !== WebSocket.OPEN || !options.mayAct()) return end({ kind: 'closed' });
      isOver = true;
      clearTimeout(late);
      protocol.stop();
      const finish = () => {
        clearTimeout(impatient);
        terminate(socket);
        resolve({ kind: 'closed' });
      };
      const impatient = setTimeout(finish, closeWithinMs);
      socket.addEventListener('close', finish);
      socket.close(closeCodes[how]);
    },
  };
};

/** Bun's own way to end a socket without the handshake that a silent platform would never answer. */
const terminate = (socket: WebSocket): void => {
  const isOpen = socket.readyState !== WebSocket.CLOSED;
  if (isOpen && 'terminate' in socket && typeof socket.terminate === 'function') socket.terminate();
};

/** Answers the platform's messages: greeting, heartbeats, and what they number. */
const speak = (apiUrl: string, options: ConnectOptions, socket: Socket) => {
  const { begin, onBroken } = options;
  let session = begin.kind === 'resume' ? begin.session : undefined;
  let sequence = session?.sequence ?? null;
  let heart: ReturnType<typeof startHeart> | undefined;
  const beat = () => socket.send(heartbeatFrame(sequence));

  const greet = async () => {
    const token = options.token.reveal();
    if (begin.kind === 'resume') return socket.send(resumeFrame(token, begin.session));
    const mayIdentify = await begin.mayIdentify().catch(() => false);
    if (mayIdentify) socket.send(identifyFrame({ token, ...begin }));
    else socket.end({ kind: 'notIdentified' });
  };

  const onHello = (data: unknown) => {
    const { heartbeat_interval } = hello.parse(data);
    const isFirst = heart === undefined;
    heart?.stop();
    heart = startHeart(heartbeat_interval, beat, () =>
      socket.end({ kind: 'cut', code: undefined }),
    );
    if (isFirst) greet();
  };

  const onSessionReady = (data: unknown, number: number) => {
    const { session_id, resume_gateway_url, guilds } = ready.parse(data);
    session = {
      id: session_id,
      resumeUrl: isGatewayUrl(apiUrl, resume_gateway_url) ? resume_gateway_url : urlOf(begin),
      sequence: number,
    };
    const guildIds = guilds.map(({ id }) => id);
    options.onDispatch({ session, sequence: number, events: [{ kind: 'guildsListed', guildIds }] });
    options.onReady();
  };

  const onDispatch = (type: string, data: unknown, number: number) => {
    // Nothing was asked for yet, and a connection without a heart would never be given up.
    if (!heart) return;
    sequence = number;
    if (type === GatewayDispatchEvents.Ready) return onSessionReady(data, number);
    if (!session) return;
    options.onDispatch({ session, sequence: number, events: translate(type, data, onBroken) });
    if (type === GatewayDispatchEvents.Resumed) options.onReady();
  };

  const handlers = new Map<number, (message: z.output<typeof frame>) => void>([
    [GatewayOpcodes.Hello, ({ d }) => onHello(d)],
    [GatewayOpcodes.HeartbeatAck, () => heart?.acknowledge()],
    [GatewayOpcodes.Heartbeat, beat],
    [GatewayOpcodes.Reconnect, () => socket.end({ kind: 'cut', code: undefined })],
    [
      GatewayOpcodes.InvalidSession,
      ({ d }) => socket.end({ kind: d === true ? 'cut' : 'sessionOver', code: undefined }),
    ],
    [GatewayOpcodes.Dispatch, ({ t, d, s }) => t && s && onDispatch(t, d, s)],
  ]);

  return {
    receive(text: string) {
      const message = frame.safeParse(parseJson(text));
      if (!message.success) return onBroken('frame', describe(message.error));
      try {
        handlers.get(message.data.op)?.(message.data);
      } catch (error) {
        if (!(error instanceof z.ZodError)) throw error;
        // A greeting or a READY that cannot be read: this connection comes to nothing.
        const { op, t } = message.data;
        onBroken(op === GatewayOpcodes.Dispatch && t ? t : `op ${op}`, describe(error));
        socket.end({ kind: 'cut', code: undefined });
      }
    },
    stop: () => heart?.stop(),
  };
};

const translate = (type: string, data: unknown, onBroken: ConnectOptions['onBroken']) => {
  try {
    return eventsOfDispatch(type, data);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    onBroken(type, describe(error));
    return [];
  }
};

/** Names the fields, and none of their values. */
const describe = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 5)
    .map(({ path, code }) => `${path.join('.')}: ${code}`)
    .join(', ');

const urlOf = (begin: ConnectOptions['begin']): string =>
  begin.kind === 'resume' ? begin.session.resumeUrl : begin.url;

const isGatewayUrl = (apiUrl: string, url: string): boolean => {
  try {
    gatewayUrlAt(apiUrl, url);
    return true;
  } catch {
    return false;
  }
};

/** Beats once per interval; the platform that did not answer the last beat is gone. */
const startHeart = (intervalMs: number, beat: () => void, onSilence: () => void) => {
  let isAnswered = true;
  const tick = () => {
    if (!isAnswered) return onSilence();
    isAnswered = false;
    timer = setTimeout(tick, intervalMs);
    beat();
  };
  // The first one at a random moment, so that not all bots beat at once after a restart.
  let timer = setTimeout(tick, intervalMs * Math.random());
  return {
    acknowledge() {
      isAnswered = true;
    },
    stop: () => clearTimeout(timer),
  };
};
