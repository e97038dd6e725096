import { Fieldset, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { Card } from '../card.tsx';
import type { Settings } from './changed-settings.ts';
import type { SettingsForm } from './use-settings.ts';
import { WholeNumber } from './whole-number.tsx';

const usualHours = 24;

const kept: { span: keyof Settings['retention']; label: string }[] = [
  { span: 'daily', label: 'Daily' },
  { span: 'weekly', label: 'Weekly' },
  { span: 'monthly', label: 'Monthly' },
];

export const BackupSection = ({ form: { settings, edit, errorOf } }: { form: SettingsForm }) => {
  const { backupSchedule, retention } = settings;
  return (
    <Card title="Backups">
      <Stack gap="lg">
        <Switch
          label="Back the server up by itself"
          description="A backup of a wrecked server never takes the place of a good one."
          checked={backupSchedule !== null}
          onChange={({ currentTarget }) =>
            edit({ backupSchedule: currentTarget.checked ? { everyHours: usualHours } : null })
          }
        />
        {backupSchedule && (
          <WholeNumber
            label="Every so many hours"
            description="1 to 168, which is a week."
            value={backupSchedule.everyHours}
            onChange={(everyHours) => edit({ backupSchedule: { everyHours } })}
            error={errorOf('backupSchedule')}
            min={1}
            max={168}
            maw={320}
          />
        )}
        <Fieldset legend="How many scheduled backups are kept">
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            {kept.map(({ span, label }) => (
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
          <Text size="sm" c="dimmed" mt="sm">
            Backups made by hand are kept until you delete them.
          </Text>
        </Fieldset>
      </Stack>
    </Card>
  );
};
