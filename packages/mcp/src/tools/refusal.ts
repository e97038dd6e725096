import type { Output } from '@holdfast/sdk';
import { z } from 'zod';
import { createReader } from '../readable.ts';
import { defineTool, type Toolbox } from '../tool.ts';
import { id } from './fields.ts';

/** Of a list without a search: its newest entries. Each hundred of them is a request to the API. */
const mostEntries = 300;

const finding = z.object({ check: z.string(), because: z.string(), at: z.string().optional() });
type Finding = z.output<typeof finding>;

const explanation = z.object({
  verifiedAt: z.string().nullable().describe('When the person was verified; null if never.'),
  recorded: z.array(finding).describe('Certain: reasons that were recorded with their appeals.'),
  matchesNow: z.array(finding).describe('What would refuse, or exempt, them today.'),
  possible: z
    .array(z.string())
    .describe('Checks that are on and depend on their address, browser or answers.'),
  unread: z.array(z.string()).describe('Scopes that the key lacks to look at more.'),
});

type Server = Output<'getServer'>;
type Subject = { serverId: string; platformId: string };

export const explainRefusal = defineTool({
  name: 'explain_refusal',
  title: 'Explain a refusal',
  description: `Why a person was refused when they tried to verify for a server: reasons that were recorded with their appeals, what on the lists and in the settings matches them now, and which checks could be the cause. Only the newest ${mostEntries} entries of the blacklist and of the appeals are looked at. The order of the checks is blacklist, whitelist (exempts from the rest), firewall, VPN, second account, account age.`,
  input: z.object({
    serverId: id,
    platformId: z
      .string()
      .regex(/^\d{1,20}$/)
      .describe('The numeric id of the person.'),
  }),
  output: explanation,
  uses: [
    'getServer',
    'listMembers',
    'listAppeals',
    'listBlacklist',
    'listWhitelistRules',
    'listFirewallRules',
  ],
  async run(toolbox, subject) {
    const server = await toolbox.holdfast.getServer({ params: { id: subject.serverId } });
    const { tryRead, unread } = createReader();
    const [member, recorded, ...matching] = await Promise.all([
      tryRead(() => findMember(toolbox, subject)),
      tryRead(() => findAppeals(toolbox, subject)),
      tryRead(() => findBlacklisted(toolbox, subject)),
      tryRead(() => findRules(toolbox, subject, 'WHITELIST')),
      tryRead(() => findRules(toolbox, subject, 'FIREWALL')),
    ]);
    const matchesNow = matching.flatMap((found) => found ?? []);
    return {
      guidance: member ? ['The person is verified now: a refusal was before that.'] : [],
      data: {
        verifiedAt: member?.verifiedAt ?? null,
        recorded: recorded ?? [],
        matchesNow: [...matchesNow, ...ageFindings(server, subject.platformId)],
        possible: possibleChecks(server),
        unread: unread.toSorted(),
      },
    };
  },
});

const findMember = async ({ holdfast }: Toolbox, { serverId, platformId }: Subject) => {
  const query = { search: platformId, limit: 20 };
  const { data } = await holdfast.listMembers({ params: { id: serverId }, query });
  return data.find((member) => member.platformId === platformId);
};

const findAppeals = async (
  { holdfast }: Toolbox,
  { serverId, platformId }: Subject,
): Promise<Finding[]> => {
  const appeals = await takeMost(holdfast.listAppeals.all({ params: { id: serverId } }));
  return appeals
    .filter((appeal) => appeal.platformId === platformId)
    .map(({ reason, status, createdAt }) => ({
      ...{ check: reason, because: `Recorded with an appeal that is ${status}`, at: createdAt },
    }));
};

const findBlacklisted = async (
  { holdfast }: Toolbox,
  { platformId }: Subject,
): Promise<Finding[]> => {
  const entries = await takeMost(holdfast.listBlacklist.all());
  return entries
    .filter((entry) => entry.platformId === platformId)
    .map(({ reason, createdAt }) => ({
      ...{ check: 'BLACKLIST', because: reason ?? 'No reason was noted', at: createdAt },
    }));
};

const findRules = async (
  { holdfast }: Toolbox,
  { serverId, platformId }: Subject,
  check: 'WHITELIST' | 'FIREWALL',
): Promise<Finding[]> => {
  const params = { id: serverId };
  const rules =
    check === 'WHITELIST'
      ? await holdfast.listWhitelistRules({ params })
      : await holdfast.listFirewallRules({ params });
  return rules
    .filter(({ type, value }) => type === 'USER_ID' && value === BigInt(platformId).toString())
    .map(({ note, createdAt }) => ({
      ...{ check, because: note ?? 'A rule names the person', at: createdAt },
    }));
};

const takeMost = async <Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> => {
  const taken: Entry[] = [];
  for await (const entry of entries) {
    taken.push(entry);
    if (taken.length >= mostEntries) break;
  }
  return taken;
};

/** The platform's ids carry the time at which they were made, in milliseconds from 2015 on. */
const platformEpochMs = Date.UTC(2015, 0, 1);
const dayMs = 24 * 60 * 60 * 1000;

const ageFindings = ({ minAccountAgeDays }: Server, platformId: string): Finding[] => {
  const createdAtMs = Number(BigInt(platformId) >> 22n) + platformEpochMs;
  const ageDays = Math.floor((Date.now() - createdAtMs) / dayMs);
  if (minAccountAgeDays === 0 || ageDays >= minAccountAgeDays) return [];
  const because = `The account is ${Math.max(0, ageDays)} days old, and the server demands ${minAccountAgeDays}`;
  return [{ check: 'ACCOUNT_AGE', because }];
};

const possibleChecks = ({
  firewallEnabled,
  vpnBlockEnabled,
  altDetectEnabled,
  captchaType,
}: Server): string[] => [
  ...(firewallEnabled ? ['FIREWALL'] : []),
  ...(vpnBlockEnabled ? ['VPN'] : []),
  ...(altDetectEnabled ? ['ALT'] : []),
  ...(captchaType === 'NONE' ? [] : ['CAPTCHA']),
];
