import type { KeyScope, PlanName } from '@holdfast/contract';
import type { Span } from '../kernel/tracing.ts';
import type { Actor, SecondFactor } from './handler.ts';

/** The account behind a request, after its key or session was accepted. */
export type Caller = {
  /** The id of the key or of the session. */
  id: string;
  accountId: string;
  plan: PlanName;
  actor: Actor;
  scopes: readonly KeyScope[];
  /** When the key itself expires, if ever. */
  expiresAt: Date | null;
  /**
   * Of the account, in this session: `due` where no fresh code was shown, so that dangerous endpoints are
   * refused. A key has none.
   */
  secondFactor: SecondFactor;
};

/** What a request carries through Hono. */
export type HttpEnv = {
  Bindings: {
    peerAddress(): string;
    /** Keeps the connection open as long as something is sent at least so often. */
    keepOpen?(idleSeconds: number): void;
  };
  Variables: {
    requestId: string;
    operation: string;
    caller: Caller;
    /** Sent with the answer to this request, whatever the answer is. */
    headers: Record<string, string>;
    /** The cookie that its answer sets for this browser. */
    newBrowser?: string;
    /** Where the request is traced. */
    span?: Span | undefined;
  };
};
