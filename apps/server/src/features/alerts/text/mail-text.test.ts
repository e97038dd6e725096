import { expect, test } from 'bun:test';
import { periodEndingMail } from '../../billing/notices/mail-text.ts';
import { subjectOf } from './describe-alert.ts';
import { alertMail, withoutLinks } from './mail-text.ts';

test.each([
  ['https://www.evil.example/a', 'https: //www. evil. example/a'],
  ['evil.com', 'evil. com'],
  ['EVIL.CO.UK', 'EVIL. CO. UK'],
  ['evil。com and evil．com', 'evil。 com and evil． com'],
  ['xn--80ak6aa92e.xn--p1ai', 'xn--80ak6aa92e. xn--p1ai'],
  ['support@bank.example', 'support@bank. example'],
  ['evil.कॉम and evil.भारत', 'evil. कॉम and evil. भारत'],
  ['evil․com and evil﹒com', 'evil․ com and evil﹒ com'],
  ['evil.ⓒⓞⓜ', 'evil. ⓒⓞⓜ'],
  ['evil.\u200bcom and evil.c\u00adom', 'evil. \u200bcom and evil. c\u00adom'],
])('the name %p becomes no link in a mail', (name, shown) => {
  expect(withoutLinks(name)).toBe(shown);
});

test('sentences and sums of a mail stay as they are', () => {
  const text = 'An order over 12.50 USD was paid. Please deliver it. 3.1 GB, v1.2, J.R. too.';
  expect(withoutLinks(text)).toBe(text);
});

test('whoever names a bot, a key too, writes nothing into a subject', () => {
  const facts = { botName: 'Your account is closed: call 555', refused: 'TOKEN' } as const;
  const subject = subjectOf({ kind: 'BOT_REFUSED', serverId: null, facts });
  expect(subject).toBe('The platform refuses the bot');
});

test.each([
  ['BOT_OFF', 'The bot was switched off'],
  ['BOT_TOKEN', 'The bot was given another token'],
  ['SERVER_DELETED', 'The protected server was deleted'],
  ['ALERTS_SILENCED', 'Alerts about attacks were silenced'],
] as const)(
  'what is not protected any more has no name in a subject: %s',
  (unprotectedBy, told) => {
    const [name, keyName] = ['Your account is closed: call 555', 'Call 556'];
    const facts = { unprotectedBy, name, keyName };
    expect(subjectOf({ kind: 'INCIDENT', serverId: null, facts })).toBe(told);
  },
);

test('no mail has a link to an address that somebody chose as a name', () => {
  const [named, baseUrl] = ['Ann of evil.com', 'https://holdfast.example'];
  const texts = { title: `${named} was blocked`, detail: `By ${named}` };
  const alert = alertMail({
    ...{ name: named, subject: 'A person was blocked', ...texts, href: '/dashboard/alerts' },
    ...{ alertCount: 2, isListed: true, baseUrl },
  });
  expect(alert.subject).toBe('A person was blocked');
  expect([...alert.text.matchAll(/evil.*?com/g)].flat()).toEqual(Array(3).fill('evil. com'));
  const notice = periodEndingMail({ name: named, plan: 'PREMIUM', until: new Date(0), baseUrl });
  expect(notice.text.match(/evil.*?com/g)).toEqual(['evil. com']);
  for (const mail of [alert, notice]) expect(mail.subject).not.toContain('evil');
});
