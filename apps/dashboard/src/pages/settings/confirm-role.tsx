import { ConfirmDialog } from '../../components/confirm.tsx';
import { type GuildRole, PowerNote } from '../../components/power-note.tsx';
import type { Settings } from './changed-settings.ts';
import type { SettingsForm } from './use-settings.ts';

type ConfirmRoleProps = {
  form: SettingsForm;
  role: GuildRole;
  /** What is saved with it. */
  changes: Partial<Settings>;
  opened: boolean;
  onClose: () => void;
};

/** Asks for the name of a role that gives power, before every verified member gets it. */
export const ConfirmRole = ({ form, role, changes, ...dialog }: ConfirmRoleProps) => (
  <ConfirmDialog
    {...dialog}
    isDangerous
    title="Give every verified member this role?"
    word={role.name}
    label="Confirm the role"
    action={() =>
      form.save.mutateAsync({ ...changes, verifiedRoleId: role.id, confirmRoleName: role.name })
    }
  >
    <PowerNote role={role} />
  </ConfirmDialog>
);
