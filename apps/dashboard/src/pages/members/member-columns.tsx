import { Badge, Button, Checkbox, Group, Popover, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Moment } from '../../components/display.tsx';
import { countryLabel } from '../../labels/countries.ts';
import { pullableLabel, tokenLabels } from '../../labels/pulls.ts';
import type { Member } from '../../queries/records.ts';

type MemberColumn = {
  key: string;
  header: string;
  cell: (member: Member) => ReactNode;
  /** In an exported file. */
  text: (member: Member) => string | number | null;
  isShownFirst?: boolean;
  isHiddenOnPhone?: boolean;
  /** Left out while nobody on the page has anything in it. */
  isEmpty?: (member: Member) => boolean;
};

const time = (of: (member: Member) => string | null, never?: string) => ({
  cell: (member: Member) => <Moment at={of(member)} {...(never && { never })} />,
  text: of,
});

/** Beside the name, which is always shown. */
const columns: MemberColumn[] = [
  {
    ...{ key: 'from', header: 'From', isShownFirst: true, isHiddenOnPhone: true },
    cell: (member) => locationLabel(member) || '–',
    text: (member) => locationLabel(member) || null,
  },
  {
    ...{ key: 'checks', header: 'Checks', isShownFirst: true },
    isEmpty: (member) => !isFlagged(member),
    cell: (member) => isFlagged(member) && <MemberFlags member={member} />,
    text: (member) => flagsOf(member).join(', '),
  },
  {
    ...{ key: 'token', header: 'Permission', isHiddenOnPhone: true },
    cell: ({ tokenStatus }) => tokenLabels[tokenStatus],
    text: ({ tokenStatus }) => tokenLabels[tokenStatus],
  },
  {
    ...{ key: 'pullable', header: 'Can be brought back', isShownFirst: true },
    isHiddenOnPhone: true,
    cell: (member) => <Pullable member={member} />,
    text: pullableLabel,
  },
  {
    ...{ key: 'verified', header: 'Verified', isShownFirst: true, isHiddenOnPhone: true },
    ...time(({ verifiedAt }) => verifiedAt),
  },
  {
    ...{ key: 'account', header: 'Account created' },
    ...time(({ accountCreatedAt }) => accountCreatedAt, 'unknown'),
  },
  {
    ...{ key: 'consent', header: 'Agreed to come back' },
    ...time(({ consentedAt }) => consentedAt, 'no'),
  },
  { ...{ key: 'left', header: 'Left the server' }, ...time(({ leftAt }) => leftAt, 'no') },
  {
    ...{ key: 'network', header: 'Network' },
    cell: ({ asn }) => (asn === null ? '–' : `AS${asn}`),
    text: ({ asn }) => (asn === null ? null : `AS${asn}`),
  },
  {
    ...{ key: 'platformId', header: 'Platform ID' },
    cell: ({ platformId }) => platformId,
    text: ({ platformId }) => platformId,
  },
];

const firstShown = columns.filter(({ isShownFirst }) => isShownFirst).map(({ key }) => key);

/** Which columns are shown; the browser keeps the choice. */
export const useMemberColumns = () => {
  const [keys, setKeys] = useLocalStorage<string[]>({
    ...{ key: 'holdfast-member-columns', defaultValue: firstShown },
    // What is stored may be anything: an older version wrote it, or the reader.
    deserialize: (text) => parseKeys(text) ?? firstShown,
  });
  return { keys, setKeys, shown: columns.filter(({ key }) => keys.includes(key)) };
};

const parseKeys = (text: string | undefined): string[] | undefined => {
  try {
    const stored: unknown = JSON.parse(text ?? '');
    return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : undefined;
  } catch {
    return undefined;
  }
};

type ColumnChooserProps = { keys: string[]; setKeys: (keys: string[]) => void };

export const ColumnChooser = ({ keys, setKeys }: ColumnChooserProps) => (
  <Popover position="bottom-end" trapFocus withArrow>
    <Popover.Target>
      <Button variant="default" size="sm" leftSection={<IconColumns3 size={18} aria-hidden />}>
        Columns
      </Button>
    </Popover.Target>
    <Popover.Dropdown>
      <Checkbox.Group label="Columns of the table" value={keys} onChange={setKeys}>
        <Stack gap="xs" mt="xs">
          {columns.map(({ key, header }) => (
            <Checkbox key={key} value={key} label={header} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Popover.Dropdown>
  </Popover>
);

const locationLabel = ({ country, region }: Member): string =>
  country === null ? '' : [countryLabel(country), region].filter(Boolean).join(', ');

const Pullable = ({ member }: { member: Member }) => (
  <Badge color={member.pullable ? 'green' : 'gray'}>{pullableLabel(member)}</Badge>
);

const flagsOf = ({ isVpn, isAlt }: Member): string[] => [
  ...(isVpn ? ['VPN'] : []),
  ...(isAlt ? ['Second account'] : []),
];

export const isFlagged = (member: Member): boolean => flagsOf(member).length > 0;

/** What the checks noticed when they verified. */
export const MemberFlags = ({ member }: { member: Member }) => (
  <Group gap={6}>
    {flagsOf(member).map((flag) => (
      <Badge key={flag} color="orange">
        {flag}
      </Badge>
    ))}
  </Group>
);
