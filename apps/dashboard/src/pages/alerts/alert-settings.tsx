import type { AlertKind, AlertWay } from '@holdfast/contract';
import { Checkbox, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Name } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { BackLink, Note, PageHead, TextLink } from '../../components/page.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { useAction } from '../../components/use-action.ts';
import { alertLabels, hasChannel, noLogChannelTitle, wayLabels } from '../../labels/alerts.ts';
import { formatCount, keysOf } from '../../labels/format.ts';
import { alertSettingsQuery } from '../../queries/alerts.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { AlertSettings } from '../../queries/records.ts';
import { allServersQuery } from '../../queries/servers.ts';
import classes from './alert-settings.module.css';

export const AlertSettingsPage = () => {
  const settings = useQuery(alertSettingsQuery);
  return (
    <Stack maw={860} gap="md">
      <div>
        <BackLink to="/alerts">All alerts</BackLink>
        <PageHead
          title="Alert settings"
          description="Choose where each alert goes. At most one e‑mail per kind and server every ten minutes, to the address that the platform gave us when you signed in."
        />
      </div>
      <NoLogChannel />
      <Loaded query={settings} height={480}>
        {(stored) => <SettingsForm stored={stored} />}
      </Loaded>
    </Stack>
  );
};

type Toggle = (kind: AlertKind, way: AlertWay, isOn: boolean) => void;

/** A channel is told only where the server has one. */
const NoLogChannel = () => {
  const { data: servers } = useQuery(allServersQuery);
  const without = servers?.data.filter(({ logChannelId }) => logChannelId === null) ?? [];
  if (without.length === 0) return null;
  return (
    <Note tone="warning" title={noLogChannelTitle(without.length)}>
      Alerts about{' '}
      {without.slice(0, 5).map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <TextLink to={`/servers/${id}/settings#reports`}>
            <Name>{name}</Name>
          </TextLink>
        </span>
      ))}
      {without.length > 5 && ` and ${formatCount(without.length - 5)} more`} are posted in no
      channel until you choose one in {without.length === 1 ? 'its' : 'their'} settings.
    </Note>
  );
};

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
        <Paper withBorder px={{ base: 'md', sm: 'lg' }} py="xs">
          <WayHeaders />
          <ul className={classes.kinds}>
            {keysOf(alertLabels).map((kind) => (
              <KindRow key={kind} kind={kind} ways={settings[kind]} toggle={toggle} />
            ))}
          </ul>
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

/** Where there is room for them; a screen reader finds them in the name of each box. */
const WayHeaders = () => (
  <div className={classes.headers} aria-hidden>
    {keysOf(wayLabels).map((way) => (
      <Text key={way} size="sm" fw={600} c="dimmed">
        {wayLabels[way]}
      </Text>
    ))}
  </div>
);

type KindRowProps = { kind: AlertKind; ways: AlertSettings[AlertKind]; toggle: Toggle };

const KindRow = ({ kind, ways, toggle }: KindRowProps) => {
  const { label, description } = alertLabels[kind];
  return (
    <li className={classes.kind}>
      <div>
        <Text fw={550}>{label}</Text>
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      </div>
      <div className={classes.ways}>
        {keysOf(wayLabels).map((way) => (
          <div key={way} className={classes.way}>
            {way === 'channel' && !hasChannel(kind) ? (
              <Text
                c="dimmed"
                size="sm"
                visibleFrom="sm"
                title="It is about no server, so it has no log channel."
              >
                –
              </Text>
            ) : (
              <Checkbox
                classNames={{ body: classes.box, inner: classes.inner, label: classes.label }}
                label={wayLabels[way]}
                aria-label={`${label}: ${wayLabels[way]}`}
                checked={ways[way]}
                onChange={({ currentTarget }) => toggle(kind, way, currentTarget.checked)}
              />
            )}
          </div>
        ))}
      </div>
    </li>
  );
};
