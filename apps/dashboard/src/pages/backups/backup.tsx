import { PageHead } from '../../parts/page-head.tsx';

export const Backup = () => <PageHead title="Backup" />;
