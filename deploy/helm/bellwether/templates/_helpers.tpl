{{- define "bellwether.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "bellwether.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "bellwether.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "bellwether.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "bellwether.selector" -}}
app.kubernetes.io/name: {{ include "bellwether.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "bellwether.labels" -}}
{{ include "bellwether.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "bellwether.image" -}}
{{- printf "%s:%s" (required "image.repository: where the image of docker/Dockerfile was pushed" .Values.image.repository) (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{- define "bellwether.claim" -}}
{{- default (include "bellwether.fullname" .) .Values.persistence.existingClaim -}}
{{- end -}}

{{/* The largest number of replicas that the values allow. */}}
{{- define "bellwether.mostReplicas" -}}
{{- if .Values.autoscaling.enabled }}{{ .Values.autoscaling.maxReplicas }}{{ else }}{{ .Values.replicaCount }}{{ end -}}
{{- end -}}

{{/* Environment of the containers. Helm reads whole numbers as floats and would print 1e+07. */}}
{{- define "bellwether.env" -}}
{{- $own := dict
      "PUBLIC_URL" (required "publicUrl: the https address in browsers" .Values.publicUrl)
      "SHUTDOWN_TIMEOUT" (printf "%d000" (int .Values.drain.seconds)) -}}
{{- if .Values.metrics.enabled -}}
{{- $_ := set $own "METRICS_PORT" (toString (int .Values.metrics.port)) -}}
{{- end -}}
{{- $secrets := .Values.secretEnvironment -}}
{{- range $name := list "DATABASE_URL" "SECRETS_KEY" -}}
{{- if not (hasKey $secrets $name) -}}{{- fail (printf "secretEnvironment.%s: name the Secret that holds it" $name) -}}{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.config -}}
{{- if hasKey $own $name -}}{{- fail (printf "config.%s: the chart sets it from another value" $name) -}}{{- end -}}
{{- if hasKey $secrets $name -}}{{- fail (printf "config.%s: it is in secretEnvironment, too" $name) -}}{{- end -}}
{{- if regexMatch "(_KEY|_SECRET|_TOKEN|_HEADERS)$|^DATABASE_([A-Z]+_)?URL$|^SMTP_URL$" $name -}}{{- fail (printf "config.%s: it is a secret, name it in secretEnvironment" $name) -}}{{- end -}}
{{- end -}}
{{- range $name, $value := merge (dict) $own .Values.config }}
- name: {{ $name }}
  value: {{ if kindIs "float64" $value }}{{ int64 $value | toString | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end -}}
{{- range $name, $from := $secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.name }}
      key: {{ $from.key }}
{{- end -}}
{{- end -}}

{{- define "bellwether.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "bellwether.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Fields that the pods of the server and of the migration share. */}}
{{- define "bellwether.pod" -}}
automountServiceAccountToken: false
# Otherwise a Service named metrics in the namespace would set METRICS_PORT.
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "bellwether.podSecurity" . | nindent 2 }}
{{- end -}}
