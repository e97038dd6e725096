import { expect, test } from 'bun:test';
import { Hono } from 'hono';
import {
  allLanguages,
  expectAllSeen,
  expectOnlyLanguage,
  expectTranslated,
  leavesOf,
  readPage,
} from '../../../../test/harness/languages.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { sendErased, sendPersonalData, sendSignInPage } from '../page/me-page.tsx';
import type { PersonalData, PersonalDataOnServer } from '../page/personal-data.ts';
import { isConfirmed } from '../rules.ts';
import { meTexts } from './me-texts.ts';

const [at, later] = [new Date('2026-03-01T12:00:00Z'), new Date('2026-03-02T12:00:00Z')];
const names = { username: 'ada', displayName: 'Ada' };
const many = 500;
const times = <Item>(item: Item): Item[] => Array.from({ length: many }, () => item);

const membership: NonNullable<PersonalDataOnServer['membership']> = {
  ...{ ...names, avatarUrl: null, verifiedAt: at, leftAt: later, accountCreatedAt: at },
  ...{ country: 'DE', region: null, asn: null, isVpn: true, isAlt: false, fingerprint: 'f' },
  ...{ consentedAt: at, tokenStatus: 'VALID', isTokenKept: true, tokenScopes: [] },
  ...{ nick: null, roleIds: ['1'], seenAt: at, joinedAt: at },
};
const incident = { ...names, rolesBefore: [], rolesTaken: [], noticedAt: at };
const joined = { ...names, joinedAt: at, isYoung: true, hasPicture: false, isAlike: false };
const appeal = { ...names, reason: 'VPN' as const, message: 'Hm.', createdAt: at, decidedAt: null };
const attempt = {
  ...{ ...names, blockReason: null, expiresAt: later, avatarHash: null, tokenScopes: [] },
  ...{ wantsRecovery: true, hasPassedCaptcha: false },
};
const notShown = { changes: [], armed: [], pulls: [], verifiedRoles: [] };
const device = { kind: 'device' as const, expiresAt: later };
const address = { kind: 'address' as const, expiresAt: later };

const lighthouse: PersonalDataOnServer = {
  ...{ id: 'lighthouse', name: 'Lighthouse', platformGuildId: '1', membership, ...notShown },
  traces: [device, address],
  appeals: (['OPEN', 'ACCEPTED', 'REJECTED'] as const).map((status) => ({ ...appeal, status })),
  visits: (['verified', 'blocked', null] as const).map((outcome) => ({ ...attempt, outcome })),
  attempts: [],
  recalls: [{ to: 'Harbour', url: 'https://chat.example/1', expiresAt: later }],
  joins: (['held', 'seen'] as const).map((status) => ({ ...joined, status })),
  incidents: [at, null].map((stoppedAt) => ({ ...incident, stoppedAt })),
  acts: times({ action: 'channelDeletes' as const, targetId: '1', at }),
};
const nothing = {
  ...{ appeals: [], visits: [], attempts: [], recalls: [] },
  ...{ joins: [], incidents: [], acts: [], ...notShown },
};
const others: PersonalDataOnServer[] = [[device], [address], []].map((traces, index) => ({
  ...{ ...nothing, id: `${index}`, name: 'Harbour', platformGuildId: '2', traces },
  membership: {
    ...{ ...membership, consentedAt: null, fingerprint: null, isTokenKept: false, roleIds: null },
  },
}));
const inBackups = {
  ...{ serverId: 'lighthouse', name: 'Lighthouse', platformGuildId: '1', oldestAt: at, list: [] },
  kinds: (['ROLES_AND_NICKNAME', 'MESSAGES', 'CHANNELS', 'TEXTS'] as const).map((kind) => ({
    ...{ kind, backups: many },
  })),
};
const everything: PersonalData = {
  ...{ platformId: '1000', servers: [lighthouse, ...others] },
  sessions: times({ ...names, createdAt: at, expiresAt: later, avatarHash: null, browser: '' }),
  backups: [at, later].map((newestAt) => ({ ...inBackups, newestAt })),
};

const session = {
  ...{ ...names, id: '1', platformId: '1000', avatarHash: null },
  ...{ isConfirmed: false, isDue: false },
};
const app = new Hono<HttpEnv>();
app.get('/stranger', sendSignInPage);
app.get('/erased', sendErased);
app.get('/all', (context) => sendPersonalData(context, session, everything));
app.get('/nothing', (context) =>
  sendPersonalData(
    context,
    session,
    { ...everything, servers: [], backups: [] },
    { isUnconfirmed: true },
  ),
);

test('every text of a person’s pages is written in every language', () => {
  expectTranslated(meTexts, ['no']);
});

test.each(allLanguages)('a person’s pages are in %s, without a word of another', async (code) => {
  const headers = { 'accept-language': code };
  const pages: string[] = [];
  for (const path of ['/stranger', '/all', '/nothing', '/erased']) {
    const html = await (await app.request(path, { headers })).text();
    expect(html).toStartWith(`<!doctype html><html lang="${code}" `);
    pages.push(readPage(html));
  }
  expectOnlyLanguage(code, pages, leavesOf(meTexts.en));
  expectAllSeen(leavesOf(meTexts[code]), pages);
});

test('an erasure is confirmed by the word of the page, in capitals or not, or by ERASE', () => {
  for (const language of allLanguages) {
    const { word } = meTexts[language].erase;
    const small = word.toLocaleLowerCase(language);
    for (const typed of [word, ` ${small} `, 'erase', word.normalize('NFD')]) {
      expect(isConfirmed(typed, { word, language })).toBe(true);
    }
    for (const typed of [undefined, '', `${word}!`, 'yes']) {
      expect(isConfirmed(typed, { word, language })).toBe(false);
    }
  }
});
