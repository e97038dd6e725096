/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { Name } from '../../../http/pages/name.tsx';
import { sendPage } from '../../../http/pages/page.tsx';
import { captchaOf } from '../captcha/captcha.ts';
import { createTask, mostTries } from '../captcha/proof-of-work.ts';
import { type ProviderName, providers } from '../captcha/provider.ts';
import type { CaptchaVerdict } from '../captcha/verdict.ts';
import type { StoredPassage } from '../passages/queries.ts';
import { checkPath, checkScriptPath } from '../paths.ts';
import type { Door } from '../queries.ts';
import { pictureOriginsOf, ServerHead } from '../server-head.tsx';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';

/** The fourth stop: the browser shows that it is one. */
export const sendCheck = async (
  context: PageContext,
  door: Door,
  passage: StoredPassage,
  tools: VerificationTools,
) => {
  const kind = passage.hasPassedCaptcha ? 'NONE' : captchaOf(door, tools.captcha);
  const isWidget = kind === 'TURNSTILE' || kind === 'HCAPTCHA';
  return sendPage(
    context,
    {
      title: `Checking your browser for ${door.name}`,
      pictureOrigins: pictureOriginsOf(door),
      scripts: [checkScriptPath],
      extraPolicy: isWidget ? providers[kind].policy : {},
    },
    <>
      <ServerHead server={door} title="One moment" />
      <p>
        Hello,{' '}
        <strong>
          <Name>{passage.displayName ?? passage.username}</Name>
        </strong>
        .
      </p>
      <form method="post" action={checkPath(door.id)} data-check={isWidget ? 'WIDGET' : kind}>
        <input type="hidden" name="fingerprint" value="" />
        {kind === 'POW' && (
          <ProofOfWork {...(await createTask(tools.ring, tools.clock, passage))} />
        )}
        {kind === 'NONE' && <Continue />}
        {isWidget && <Widget name={kind} siteKey={tools.captcha.siteKey ?? ''} />}
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
    <p>That was the sign-in. This page goes on by itself; if it does not, press the button.</p>
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

const captchaTroubles: Record<Exclude<CaptchaVerdict, 'passed'>, Child> = {
  wrong: 'The task was not solved correctly.',
  stale: 'The task was used before or took too long.',
  missing: 'The task was not solved. It needs scripts: please allow them for this page.',
  unreachable: 'The check cannot be made at the moment. Please wait a little.',
};

/** The check goes by the browser's fingerprint, and none came with the form. */
export const sendNoFingerprint = (context: PageContext, door: Door) =>
  sendPage(
    context,
    {
      title: 'Your browser did not tell its device',
      status: 400,
      tone: 'bad',
      pictureOrigins: pictureOriginsOf(door),
    },
    <>
      <ServerHead server={door} title="Your browser did not tell its device" />
      <p>
        This server compares devices, to keep out people who come a second time. Allow scripts for
        this page and switch off extensions that stop them. Only a scrambled mark of your device is
        kept, for 90 days.
      </p>
      <p>
        <a class="button" href={checkPath(door.id)}>
          Try again
        </a>
      </p>
    </>,
  );

export const sendCaptchaTrouble = (
  context: PageContext,
  door: Door,
  verdict: keyof typeof captchaTroubles,
) =>
  sendPage(
    context,
    {
      title: 'The check did not work',
      status: verdict === 'unreachable' ? 503 : 400,
      tone: 'bad',
      pictureOrigins: pictureOriginsOf(door),
    },
    <>
      <ServerHead server={door} title="The check did not work" />
      <p>{captchaTroubles[verdict]}</p>
      <p>
        <a class="button" href={checkPath(door.id)}>
          Try again
        </a>
      </p>
    </>,
  );
