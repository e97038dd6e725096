/** @jsxImportSource hono/jsx */
import { fileURLToPath } from 'node:url';
import type { Child } from 'hono/jsx';
import { type Asset, makeAsset } from '../../../http/assets.ts';
import { Name } from '../../../http/pages/page.tsx';
import { createProofOfWork, mostTries } from '../captcha/proof-of-work.ts';
import { type CaptchaResult, type ProviderName, providers } from '../captcha/provider.ts';
import { effectiveCaptcha } from '../captcha/verify-captcha.ts';
import { checkPath, checkScriptPath, type PageRequest } from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import type { PendingVerification } from '../queries/pending-verifications.ts';

/** The script of the check page, with the libraries it uses. */
export const buildCheckScript = async (): Promise<Asset> => {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL('./browser-check.ts', import.meta.url))],
    target: 'browser',
    minify: true,
  });
  const [script] = built.outputs;
  if (!script) throw new Error("The check page's script could not be built");
  return makeAsset('text/javascript', await script.text());
};

/** The page on which the browser solves the captcha and sends its fingerprint. */
export const sendCheck = async (request: PageRequest, pending: PendingVerification) => {
  const { server, captcha, ring, clock } = request;
  const kind = pending.hasPassedCaptcha ? 'NONE' : effectiveCaptcha(server, captcha);
  const isWidget = kind === 'TURNSTILE' || kind === 'HCAPTCHA';
  return sendServerPage(
    request,
    {
      title: `Checking your browser for ${server.name}`,
      heading: 'One moment',
      scripts: [checkScriptPath],
      extraPolicy: isWidget ? providers[kind].policy : {},
    },
    <>
      <p>
        Hello,{' '}
        <strong>
          <Name>{pending.displayName ?? pending.username}</Name>
        </strong>
        .
      </p>
      <form method="post" action={checkPath(server.id)} data-check={isWidget ? 'WIDGET' : kind}>
        <input type="hidden" name="fingerprint" value="" />
        {kind === 'POW' && <ProofOfWork {...(await createProofOfWork(ring, clock, pending))} />}
        {kind === 'NONE' && <Continue />}
        {isWidget && <Widget name={kind} siteKey={captcha.siteKey ?? ''} />}
      </form>
      <p id="trouble" role="alert" hidden>
        Your browser could not finish the check. Reload this page, or try another browser.
      </p>
    </>,
  );
};

const ProofOfWork = ({ challenge, seal }: { challenge: string; seal: string }) => (
  <>
    <input type="hidden" name="challenge" value={challenge} />
    <input type="hidden" name="seal" value={seal} />
    <input type="hidden" name="solution" value="" />
    <p id="task">
      Your browser is solving a small task. It takes a few seconds, and this page then goes on by
      itself.
    </p>
    <progress max={mostTries} value="0" aria-labelledby="task" />
    <noscript>
      <p>
        <strong>Scripts are switched off.</strong> This check needs one: please allow it for this
        page and reload. It comes from this site and talks to nobody else.
      </p>
    </noscript>
  </>
);

const Continue = () => (
  <>
    <p>You are signed in. This page continues automatically; if it does not, press the button.</p>
    <button type="submit">Continue</button>
  </>
);

const Widget = ({ name, siteKey }: { name: ProviderName; siteKey: string }) => (
  <>
    <p>Please show that you are a person, then continue.</p>
    <div class="widget">
      <div class={providers[name].widget} data-sitekey={siteKey} />
    </div>
    <noscript>
      <p>
        <strong>Scripts are switched off.</strong> This check needs them: please allow them for this
        page and reload.
      </p>
    </noscript>
    <button type="submit">Continue</button>
    <script src={providers[name].script} async defer />
  </>
);

const captchaMessages: Record<Exclude<CaptchaResult, 'passed'>, string> = {
  wrong: 'The task was not solved correctly.',
  stale: 'The task was used before or took too long.',
  missing: 'The task was not solved. It needs scripts: please allow them for this page.',
  unreachable: 'The check cannot be made at the moment. Please wait a little.',
};

/** A check needs the browser's fingerprint, and the form had none. */
export const sendNoFingerprint = (request: PageRequest) =>
  sendTryAgain(
    request,
    { title: 'Your browser could not be identified', status: 400 },
    <p>
      This server compares devices, to keep out people who come a second time. Allow scripts for
      this page and switch off extensions that stop them. Only a hash of your device is stored, for
      90 days.
    </p>,
  );

/** They came with a wave of newcomers, and the server's owner has not decided about it yet. */
export const sendHeld = (request: PageRequest) =>
  sendTryAgain(
    request,
    { title: 'Please wait for the owner', status: 403 },
    <p>
      You joined at the same moment as very many others, so the server's owner looks at all of you
      first. Nothing is wrong with your answers: open this page again later.
    </p>,
  );

export const sendCaptchaFailed = (request: PageRequest, result: keyof typeof captchaMessages) => {
  const status = result === 'unreachable' ? 503 : 400;
  const options = { title: 'The check did not work', status } as const;
  return sendTryAgain(request, options, <p>{captchaMessages[result]}</p>);
};

const sendTryAgain = (
  request: PageRequest,
  options: { title: string; status: 400 | 403 | 503 },
  message: Child,
) =>
  sendServerPage(
    request,
    { ...options, tone: 'bad' },
    <>
      {message}
      <p>
        <a class="button" href={checkPath(request.server.id)}>
          Try again
        </a>
      </p>
    </>,
  );
