import { Button, Code, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Moment, Name } from '../../components/display.tsx';
import { TextLink } from '../../components/page.tsx';
import {
  actionLabel,
  actorLabels,
  describeChanges,
  spacedLabel,
  subjectLabel,
} from '../../labels/audit.ts';
import { newestApiKeysQuery } from '../../queries/account.ts';
import type { AuditRecord } from '../../queries/records.ts';
import { allServersQuery } from '../../queries/servers.ts';
import classes from './audit-entry.module.css';

export const AuditEntry = ({ entry }: { entry: AuditRecord }) => {
  const [isOpen, { toggle }] = useDisclosure();
  const detailsId = useId();
  const actorLabel = useActorLabel();
  const Glyph = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <li className={classes.entry}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div>
          <Text fw={500}>{actionLabel(entry.action)}</Text>
          <Text size="sm" c="dimmed">
            <EntrySubject entry={entry} /> · {actorLabel(entry.actor)} ·{' '}
            <Moment at={entry.at} isExact />
          </Text>
        </div>
        <Button
          variant="subtle"
          size="compact-sm"
          flex="none"
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={detailsId}
          leftSection={<Glyph size={14} aria-hidden />}
        >
          Details
        </Button>
      </Group>
      <Collapse expanded={isOpen} id={detailsId}>
        <EntryChanges entry={entry} />
      </Collapse>
    </li>
  );
};

/** What was changed: its name where that is known, and its server. */
const EntrySubject = ({ entry: { subject, changes } }: { entry: AuditRecord }) => {
  const { data: servers } = useQuery(allServersQuery);
  const serverId = subject.type === 'server' ? subject.id : changes.serverId;
  const server = servers?.data.find(({ id }) => id === serverId);
  const keyName = useKeyName();
  const name = nameOf(changes) ?? keyName(subject.id);
  return (
    <>
      {subjectLabel(subject.type)}
      {name !== undefined && subject.type !== 'server' && (
        <>
          {' '}
          <Name>{name}</Name>
        </>
      )}
      {server && (
        <>
          {subject.type === 'server' ? ' ' : ' on '}
          <TextLink to={`/servers/${server.id}`}>
            <Name>{server.name}</Name>
          </TextLink>
        </>
      )}
    </>
  );
};

const nameOf = ({ name, title, value, platformId }: Record<string, unknown>): string | undefined =>
  [name, title, value, platformId].find((text) => typeof text === 'string');

/** What an entry changed, and the hashes that link it to the chain. */
const EntryChanges = ({ entry }: { entry: AuditRecord }) => (
  <Text component="dl" size="sm" className={classes.changes}>
    {describeChanges(entry.changes).map(({ field, before, value }) => (
      <ChangeLine key={field} term={spacedLabel(field)}>
        {before !== undefined && (
          <>
            <Name>{before}</Name> → <span />
          </>
        )}
        <Name>{value}</Name>
      </ChangeLine>
    ))}
    {entry.subject.id !== null && (
      <ChangeLine term="Id">
        <Code>{entry.subject.id}</Code>
      </ChangeLine>
    )}
    <ChangeLine term="Hash">
      <Code>{entry.hash.slice(0, 16)}</Code> after <Code>{entry.prevHash.slice(0, 16)}</Code>
    </ChangeLine>
  </Text>
);

const ChangeLine = ({ term, children }: { term: string; children: React.ReactNode }) => (
  <>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </>
);

/** The names of keys by their ids, as far as they are among the newest. */
const useKeyName = () => {
  const { data } = useQuery(newestApiKeysQuery);
  return (id: string | null): string | undefined => data?.data.find((key) => key.id === id)?.name;
};

const useActorLabel = () => {
  const keyName = useKeyName();
  return ({ type, id }: AuditRecord['actor']): string => {
    if (type === 'USER') return 'You';
    if (type !== 'KEY') return actorLabels[type];
    const name = keyName(id);
    return name === undefined ? 'An API key' : `The key “${name}”`;
  };
};
