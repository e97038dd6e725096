import type { AlertKind, AlertWay } from '@holdfast/contract';
import { Checkbox, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { type Column, Loaded, RecordTable } from '../../components/list.tsx';
import { BackLink, PageHead } from '../../components/page.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { useAction } from '../../components/use-action.ts';
import { alertLabels, hasChannel, wayLabels } from '../../labels/alerts.ts';
import { keysOf } from '../../labels/format.ts';
import { alertSettingsQuery } from '../../queries/alerts.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { AlertSettings } from '../../queries/records.ts';

export const AlertSettingsPage = () => {
  const settings = useQuery(alertSettingsQuery);
  return (
    <Stack maw={860} gap="md">
      <div>
        <BackLink to="/alerts">All alerts</BackLink>
        <PageHead
          title="Alert settings"
          description="Where you are told what happens. Mails go to the address that the platform gave us when you signed in; there is at most one of a kind for a server in ten minutes."
        />
      </div>
      <Loaded query={settings} height={480}>
        {(stored) => <SettingsForm stored={stored} />}
      </Loaded>
    </Stack>
  );
};

type Row = { id: AlertKind };
type Toggle = (kind: AlertKind, way: AlertWay, isOn: boolean) => void;

const rows: Row[] = keysOf(alertLabels).map((id) => ({ id }));

const SettingsForm = ({ stored }: { stored: AlertSettings }) => {
  const { settings, changes, save, toggle, discard } = useAlertSettings(stored);
  const count = Object.keys(changes).length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (count > 0) save.mutate(changes);
      }}
    >
      <Stack gap="md">
        <Paper withBorder px="md" py="xs">
          <RecordTable
            caption="Alerts, and the ways in which you get them"
            columns={columnsFor(settings, toggle)}
            rows={rows}
          />
        </Paper>
        <SaveBar count={count} save={save} isErrorAtFields={false} onDiscard={discard} />
      </Stack>
    </form>
  );
};

/** Only kinds that were edited here are sent: each as a whole, as the service stores them. */
const useAlertSettings = (stored: AlertSettings) => {
  const [edits, setEdits] = useState<Partial<AlertSettings>>({});
  const save = useAction((body: Partial<AlertSettings>) => api.updateAlertSettings({ body }), {
    message: 'The settings were saved',
    invalidates: [queryKeys.alertSettings],
    onSuccess: () => setEdits({}),
    onError: () => undefined,
  });
  const settings: AlertSettings = { ...stored, ...edits };
  const isChanged = (kind: AlertKind): boolean =>
    keysOf(wayLabels).some((way) => settings[kind][way] !== stored[kind][way]);
  const changes: Partial<AlertSettings> = Object.fromEntries(
    keysOf(alertLabels)
      .filter(isChanged)
      .map((kind) => [kind, settings[kind]]),
  );
  const toggle: Toggle = (kind, way, isOn) =>
    setEdits({ ...edits, [kind]: { ...settings[kind], [way]: isOn } });
  const discard = () => {
    setEdits({});
    save.reset();
  };
  return { settings, changes, save, toggle, discard };
};

const columnsFor = (settings: AlertSettings, toggle: Toggle): Column<Row>[] => [
  {
    header: 'Alert',
    cell: ({ id }) => (
      <div>
        <Text fw={550}>{alertLabels[id].label}</Text>
        <Text size="sm" c="dimmed">
          {alertLabels[id].description}
        </Text>
      </div>
    ),
  },
  ...keysOf(wayLabels).map(
    (way): Column<Row> => ({
      header: wayLabels[way],
      cell: ({ id }) =>
        way === 'channel' && !hasChannel(id) ? (
          <NoChannel />
        ) : (
          <Checkbox
            aria-label={`${alertLabels[id].label}: ${wayLabels[way]}`}
            checked={settings[id][way]}
            onChange={({ currentTarget }) => toggle(id, way, currentTarget.checked)}
          />
        ),
    }),
  ),
];

/** Only a server has a log channel. */
const NoChannel = () => (
  <Text span c="dimmed">
    <span aria-hidden>–</span>
    <VisuallyHidden>Not in a channel: it is about no server</VisuallyHidden>
  </Text>
);
