import { Button, Code, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Name } from '../../components/display.tsx';
import { TextLink } from '../../components/page.tsx';
import {
  actionLabel,
  actorLabels,
  describeChanges,
  kindOfSubject,
  nameOfSubject,
  pathOfEntry,
  serverOfEntry,
  spacedLabel,
} from '../../labels/audit.ts';
import { formatClock, formatTime } from '../../labels/format.ts';
import { newestApiKeysQuery } from '../../queries/account.ts';
import type { AuditRecord } from '../../queries/records.ts';
import { allServersQuery } from '../../queries/servers.ts';
import classes from './audit-entry.module.css';

/** A press anywhere on the row opens it; the links within lead away. */
export const AuditEntry = ({ entry }: { entry: AuditRecord }) => {
  const [isOpen, { toggle }] = useDisclosure();
  const detailsId = useId();
  const actorLabel = useActorLabel();
  const Glyph = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <li className={classes.entry}>
      <Group className={classes.row} gap="sm" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed" className={classes.time}>
          <time dateTime={entry.at} title={formatTime(entry.at)}>
            {formatClock(entry.at)}
          </time>
        </Text>
        <div className={classes.what}>
          <Text fw={500}>{actionLabel(entry.action)}</Text>
          <Text size="sm" c="dimmed">
            <EntrySubject entry={entry} />
          </Text>
          <Text size="sm" className={classes.actor}>
            {actorLabel(entry.actor)}
          </Text>
        </div>
        <Button
          className={classes.opener}
          variant="subtle"
          color="gray"
          size="compact-sm"
          flex="none"
          onClick={toggle}
          aria-label={`Details: ${actionLabel(entry.action)}`}
          aria-expanded={isOpen}
          aria-controls={detailsId}
        >
          <Glyph size={18} aria-hidden />
        </Button>
      </Group>
      <Collapse expanded={isOpen} id={detailsId}>
        <EntryChanges entry={entry} />
      </Collapse>
    </li>
  );
};

/** What was changed: its name where that is known, and its server. */
const EntrySubject = ({ entry }: { entry: AuditRecord }) => {
  const { subject } = entry;
  const { data: servers } = useQuery(allServersQuery);
  const serverId = serverOfEntry(entry);
  const server = servers?.data.find(({ id }) => id === serverId);
  const keyName = useKeyName();
  const isServer = subject.type === 'server';
  const name = isServer ? server?.name : (nameOfSubject(entry) ?? keyName(subject.id));
  const path = serverId === undefined || server ? pathOfEntry(entry) : undefined;
  const label = (
    <>
      {kindOfSubject(entry)}
      {name !== undefined && (
        <>
          {' '}
          <Name>{name}</Name>
        </>
      )}
    </>
  );
  return (
    <>
      {path ? <TextLink to={path}>{label}</TextLink> : label}
      {server && !isServer && (
        <>
          {' · '}
          <TextLink to={`/servers/${server.id}`}>
            <Name>{server.name}</Name>
          </TextLink>
        </>
      )}
    </>
  );
};

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
    <ChangeLine term="Time">{formatTime(entry.at)}</ChangeLine>
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
