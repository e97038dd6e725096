import { Button, Group, List, Modal, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Name } from '../../components/display.tsx';
import { plural } from '../../labels/format.ts';
import { accountQuery } from '../../queries/account.ts';
import { useServer } from '../../queries/servers.ts';
import { type BulkAction, type BulkReport, bulkActions, runForEach } from './run-bulk.ts';
import { SelectAll } from './select-all.tsx';
import type { MemberSelection } from './use-selection.ts';

/** What can be done to all selected members at once. */
export const BulkBar = ({ selection }: { selection: MemberSelection }) => {
  const [asked, setAsked] = useState<BulkAction>();
  const [report, setReport] = useState<BulkReport>();
  const { data: account } = useQuery(accountQuery);
  const { members } = selection;
  return (
    <>
      <Group gap="sm" mb={{ base: 'sm', sm: members.length > 0 ? 'sm' : 0 }}>
        <SelectAll
          selection={selection}
          hiddenFrom="sm"
          label={members.length === 0 ? 'Select all on this page' : `${members.length} selected`}
        />
        {members.length > 0 && (
          <Text size="sm" visibleFrom="sm">
            {members.length} selected
          </Text>
        )}
        {members.length > 0 &&
          Object.values(bulkActions).map((action) => (
            <Button
              key={action.label}
              size="xs"
              variant={action.color ? 'outline' : 'default'}
              color={action.color}
              disabled={action.needsFirewall && account?.limits.hasFirewall !== true}
              onClick={() => setAsked(action)}
            >
              {action.label}
            </Button>
          ))}
      </Group>
      <BulkDialog
        action={asked}
        selection={selection}
        onClose={() => setAsked(undefined)}
        onDone={setReport}
      />
      <ReportDialog report={report} onClose={() => setReport(undefined)} />
    </>
  );
};

type BulkDialogProps = {
  action: BulkAction | undefined;
  selection: MemberSelection;
  onClose: () => void;
  onDone: (report: BulkReport) => void;
};

const BulkDialog = ({ action, selection, onClose, onDone }: BulkDialogProps) => {
  const { id } = useServer();
  const [note, setNote] = useState('');
  const [done, setDone] = useState(0);
  const { members } = selection;
  if (!action) return null;
  const reason = note.trim() || null;
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`${action.label}: ${plural(members.length, 'member')}?`}
      label={done > 0 ? `${done} of ${members.length}…` : action.label}
      isDangerous={action.asksForCode}
      {...(action.color && { color: action.color })}
      action={() => runForEach(members, (member) => action.run(id, member, reason), setDone)}
      invalidates={action.changes(id)}
      onSuccess={(outcome) => {
        setDone(0);
        selection.clear();
        onDone({ action, ...outcome });
      }}
    >
      <Stack gap="md">
        <Text size="sm">{action.consequence}</Text>
        <TextInput
          label="Reason or note (optional)"
          maxLength={500}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <Names names={members.map(({ displayName }) => displayName)} />
      </Stack>
    </ConfirmDialog>
  );
};

const mostNamed = 8;

const Names = ({ names }: { names: string[] }) => (
  <Paper withBorder p="xs">
    <List size="sm">
      {names.slice(0, mostNamed).map((name, at) => (
        // Two members may have the same name.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while it is shown
        <List.Item key={at}>
          <Name>{name}</Name>
        </List.Item>
      ))}
    </List>
    {names.length > mostNamed && (
      <Text size="sm" c="dimmed">
        and {names.length - mostNamed} more
      </Text>
    )}
  </Paper>
);

type ReportDialogProps = { report: BulkReport | undefined; onClose: () => void };

const ReportDialog = ({ report, onClose }: ReportDialogProps) => (
  <Modal opened={report !== undefined} onClose={onClose} title={report?.action.label} centered>
    {report && (
      <Stack gap="md">
        <List size="sm">
          <List.Item>Done for {plural(report.done, 'member')}.</List.Item>
          {report.already > 0 && (
            <List.Item>{plural(report.already, 'member')} had it already.</List.Item>
          )}
          {report.failures.map(({ name, reason }) => (
            <List.Item key={`${name} ${reason}`}>
              <Name>{name}</Name>: {reason}
            </List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
