import { SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useId } from 'react';
import { inputFirst } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { WholeNumber } from '../../components/whole-number.tsx';
import type { Settings } from './changed-settings.ts';
import type { SettingsForm } from './use-settings.ts';

const defaultHours = 24;

const spans: { span: keyof Settings['retention']; label: string }[] = [
  { span: 'daily', label: 'Daily' },
  { span: 'weekly', label: 'Weekly' },
  { span: 'monthly', label: 'Monthly' },
];

export const BackupSection = ({ form: { settings, edit, errorOf } }: { form: SettingsForm }) => {
  const { backupSchedule, retention } = settings;
  const keptId = useId();
  return (
    <Section title="Backups" anchor="backups">
      <Stack gap="lg">
        <Switch
          label="Automatic backups"
          description="A backup of a wrecked server never replaces a good one."
          checked={backupSchedule !== null}
          onChange={({ currentTarget }) =>
            edit({ backupSchedule: currentTarget.checked ? { everyHours: defaultHours } : null })
          }
        />
        {backupSchedule && (
          <>
            <WholeNumber
              label="Interval in hours"
              description="1 to 168, which is a week."
              inputWrapperOrder={inputFirst}
              value={backupSchedule.everyHours}
              onChange={(everyHours) => edit({ backupSchedule: { everyHours } })}
              error={errorOf('backupSchedule')}
              min={1}
              max={168}
              maw={320}
            />
            <Stack gap="xs" role="group" aria-labelledby={keptId}>
              <Text size="sm" fw={600} id={keptId}>
                How many scheduled backups are kept
              </Text>
              <SimpleGrid cols={3}>
                {spans.map(({ span, label }) => (
                  <WholeNumber
                    key={span}
                    label={label}
                    value={retention[span]}
                    onChange={(count) => edit({ retention: { ...retention, [span]: count } })}
                    min={0}
                    max={100}
                  />
                ))}
              </SimpleGrid>
            </Stack>
          </>
        )}
        <Text size="sm" c="dimmed">
          Backups made by hand are kept until you delete them.
        </Text>
      </Stack>
    </Section>
  );
};
