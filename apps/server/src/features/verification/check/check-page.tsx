/** @jsxImportSource hono/jsx */
import { fileURLToPath } from 'node:url';
import { type Asset, makeAsset } from '../../../http/assets.ts';
import { Name } from '../../../http/pages/page.tsx';
import { createProofOfWork, mostTries } from '../captcha/proof-of-work.ts';
import { type CaptchaResult, type ProviderName, providers } from '../captcha/provider.ts';
import { effectiveCaptcha } from '../captcha/verify-captcha.ts';
import { checkPath, checkScriptPath, type PageRequest } from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import type { VerificationTexts } from '../texts/en.ts';
import { textsOf } from '../texts/verification-texts.ts';

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
  const { context, server, captcha, ring, clock } = request;
  const { check } = textsOf(context);
  const kind = pending.hasPassedCaptcha ? 'NONE' : effectiveCaptcha(server, captcha);
  const isWidget = kind === 'TURNSTILE' || kind === 'HCAPTCHA';
  const name = <Name>{pending.displayName ?? pending.username}</Name>;
  return sendServerPage(
    request,
    {
      ...{ title: check.title(server.name), heading: check.heading },
      ...{ scripts: [checkScriptPath], extraPolicy: isWidget ? providers[kind].policy : {} },
      again: checkPath(server.id),
    },
    <>
      <p>{check.hello(<strong>{name}</strong>)}</p>
      <form method="post" action={checkPath(server.id)} data-check={isWidget ? 'WIDGET' : kind}>
        <input type="hidden" name="fingerprint" value="" />
        {kind === 'POW' && (
          <ProofOfWork texts={check} {...(await createProofOfWork(ring, clock, pending))} />
        )}
        {kind === 'NONE' && <Continue texts={check} />}
        {isWidget && <Widget name={kind} siteKey={captcha.siteKey ?? ''} texts={check} />}
      </form>
      <p id="trouble" role="alert" hidden>
        {check.trouble}
      </p>
    </>,
  );
};

type WithTexts<Props = object> = Props & { texts: VerificationTexts['check'] };

const ProofOfWork = ({
  challenge,
  seal,
  texts,
}: WithTexts<{ challenge: string; seal: string }>) => (
  <>
    <input type="hidden" name="challenge" value={challenge} />
    <input type="hidden" name="seal" value={seal} />
    <input type="hidden" name="solution" value="" />
    <p id="task">{texts.task}</p>
    <progress max={mostTries} value="0" aria-labelledby="task" />
    <noscript>
      <p>
        <strong>{texts.scriptsOff}</strong> {texts.allowScript}
      </p>
    </noscript>
  </>
);

const Continue = ({ texts }: WithTexts) => (
  <>
    <p>{texts.signedIn}</p>
    <button type="submit">{texts.continue}</button>
  </>
);

const Widget = ({ name, siteKey, texts }: WithTexts<{ name: ProviderName; siteKey: string }>) => (
  <>
    <p>{texts.widget}</p>
    <div class="widget">
      <div class={providers[name].widget} data-sitekey={siteKey} />
    </div>
    <noscript>
      <p>
        <strong>{texts.scriptsOff}</strong> {texts.allowScripts}
      </p>
    </noscript>
    <button type="submit">{texts.continue}</button>
    <script src={providers[name].script} async defer />
  </>
);

/** A check needs the browser's fingerprint, and the form had none. */
export const sendNoFingerprint = (request: PageRequest) =>
  sendTryAgain(request, 400, textsOf(request.context).noFingerprint);

/** They came with a wave of newcomers, and the server's owner has not decided about it yet. */
export const sendHeld = (request: PageRequest) => {
  const { held, check } = textsOf(request.context);
  return sendTryAgain(request, 403, held, check.lookAgain);
};

export const sendCaptchaFailed = (
  request: PageRequest,
  result: Exclude<CaptchaResult, 'passed'>,
) => {
  const { captcha } = textsOf(request.context);
  const status = result === 'unreachable' ? 503 : 400;
  return sendTryAgain(request, status, { title: captcha.title, message: captcha[result] });
};

const sendTryAgain = (
  request: PageRequest,
  status: 400 | 403 | 503,
  { title, message }: { title: string; message: string },
  label = textsOf(request.context).check.tryAgain,
) => {
  const again = checkPath(request.server.id);
  return sendServerPage(
    request,
    { title, status, tone: 'bad', again },
    <>
      <p>{message}</p>
      <p>
        <a class="button" href={again}>
          {label}
        </a>
      </p>
    </>,
  );
};
