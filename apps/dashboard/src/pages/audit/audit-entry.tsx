import type { Entry } from '@holdfast/sdk';
import { Button, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId } from 'react';
import { Moment } from '../../parts/moment.tsx';
import { actionText } from './action-words.ts';
import classes from './audit-entry.module.css';
import { EntryChanges } from './entry-changes.tsx';
import { EntrySubject } from './entry-subject.tsx';
import { useActorText } from './use-actor-text.ts';

export type AuditRecord = Entry<'listAudit'>;

export const AuditEntry = ({ entry }: { entry: AuditRecord }) => {
  const [isOpen, { toggle }] = useDisclosure();
  const detailsId = useId();
  const actorText = useActorText();
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <li className={classes.entry}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div>
          <Text fw={500}>{actionText(entry.action)}</Text>
          <Text size="sm" c="dimmed">
            <EntrySubject entry={entry} /> · {actorText(entry.actor)} ·{' '}
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
          leftSection={<Sign size={14} aria-hidden />}
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
